//go:build race

package conformance

// underRace says that the race detector is on, with which bulk takes ten times as
// long.
const underRace = true
