package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Row is one figure beside its reference.
type Row struct {
	Name      string  `json:"name"`
	Reference string  `json:"reference"`
	Unit      string  `json:"unit"`
	Ours      float64 `json:"ours"` // a median where it is a time
	Theirs    float64 `json:"reference_value"`
	Ratio     float64 `json:"ratio"`
	Bar       float64 `json:"bar,omitempty"`
}

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	only := flag.String("only", "", "measure only rows whose name contains this")
	flag.Parse()
	if role := os.Getenv(roleVariable); role != "" {
		if err := child(role, flag.Args()); err != nil {
			log.Fatalf("%s: %v", role, err)
		}
		return
	}
	dir, err := os.MkdirTemp("", "agentos-bench-")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := measure(dir, *only)
	if rmErr := os.RemoveAll(dir); err == nil {
		err = rmErr
	}
	if err != nil {
		log.Fatal(err)
	}
	if *asJSON {
		err = json.NewEncoder(os.Stdout).Encode(rows)
	} else {
		err = printTable(rows)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// measure is the rows whose name contains only, in order.
func measure(dir, only string) ([]Row, error) {
	var rows []Row
	for _, bench := range []struct {
		name    string
		measure func(dir string) (Row, error)
	}{
		{"shell-loop", shellLoop}, {"batch", batch}, {"new-host", newHost}, {"new-rich-host", newRichHost}, {"many-tools", manyTools},
		{"one-call", oneCall}, {"at-once", atOnce}, {"idle", idle}, {"left-behind", leftBehind}, {"isolation", isolation},
		{"stream", stream}, {"stream-memory", streamMemory},
	} {
		if !strings.Contains(bench.name, only) {
			continue
		}
		row, err := bench.measure(dir)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// compare measures two things in turns and makes their row.
func compare(name, reference string, bar float64, rounds int, ours, theirs func() error) (Row, error) {
	var mine, other []float64
	for range rounds {
		for _, side := range []struct {
			run   func() error
			times *[]float64
		}{{ours, &mine}, {theirs, &other}} {
			start := time.Now()
			if err := side.run(); err != nil {
				return Row{}, fmt.Errorf("%s: %w", name, err)
			}
			*side.times = append(*side.times, float64(time.Since(start).Nanoseconds())/1e3)
		}
	}
	row := Row{Name: name, Reference: reference, Unit: "µs", Ours: median(mine), Theirs: median(other), Bar: bar}
	row.Ratio = row.Ours / row.Theirs
	return row, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func printTable(rows []Row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "what\tours\treference\tunit\tratio\tbar\treference is")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%s\t%.2f\t%.2f\t%s\n", r.Name, r.Ours, r.Theirs, r.Unit, r.Ratio, r.Bar, r.Reference)
	}
	return w.Flush()
}
