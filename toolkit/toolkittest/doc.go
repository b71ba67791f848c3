// Package toolkittest runs command lines against a toolkit in memory, so that a
// toolkit's own tests see what an agent in a guest would see: the same parser,
// checks, envelope and exit status, without a VM or a socket.
//
//	func TestForecast(t *testing.T) {
//		got := toolkittest.Run(t, weather.Toolkit(), "forecast --city Paris")
//		var forecast weather.Forecast
//		got.Result(&forecast)
//	}
package toolkittest
