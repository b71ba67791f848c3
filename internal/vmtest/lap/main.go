// Command lap times commands in a shell, in turns, and prints the median of each:
//
//	lap -n 200 'true' 'agentos-weather cities >/dev/null'
//
// One shell runs them all, so that what is measured is what a script pays.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

func main() {
	n := flag.Int("n", 100, "how often each command runs")
	flag.Parse()
	medians, err := run(*n, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "lap:", err)
		os.Exit(1)
	}
	for _, m := range medians {
		fmt.Println(m.Microseconds())
	}
}

// run is the median time of each command.
func run(n int, commands []string) ([]time.Duration, error) {
	sh := exec.Command("sh")
	sh.Stderr = os.Stderr
	in, err := sh.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := sh.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := sh.Start(); err != nil {
		return nil, err
	}
	times := make([][]time.Duration, len(commands))
	statuses := bufio.NewReader(out)
	for range n {
		for i, command := range commands {
			took, err := lap(in, statuses, command)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	var medians []time.Duration
	for _, t := range times {
		slices.Sort(t)
		medians = append(medians, t[len(t)/2])
	}
	return medians, sh.Wait()
}

// lap runs a command in the shell once.
func lap(in io.Writer, statuses *bufio.Reader, command string) (time.Duration, error) {
	start := time.Now()
	if _, err := fmt.Fprintf(in, "%s\necho $?\n", command); err != nil {
		return 0, err
	}
	status, err := statuses.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if status != "0\n" {
		return 0, fmt.Errorf("%s: exit status %s", command, status)
	}
	return time.Since(start), nil
}
