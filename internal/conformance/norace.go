//go:build !race

package conformance

// underRace says that the race detector is on.
const underRace = false
