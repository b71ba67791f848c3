// Package kit is the weather toolkit of the quickstart: two ordinary Go
// functions that a guest sees as the commands
//
//	agentos-weather cities --country FR
//	agentos-weather forecast --city Paris --days 3
//
// The answers come from a table of monthly climate normals (normals.csv, whose
// head names source, period and licence). They are what a month is usually
// like, not a prediction, and need no network.
package kit
