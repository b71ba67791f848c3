// Command bench measures what a call costs beside a reference that does the
// least possible work, in the same run on the same socket, and prints medians
// and ratios. Machines are noisy: both sides are measured in turns.
//
//	go run ./internal/bench [-json]
package main
