package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// Row is one figure beside its reference.
type Row struct {
	Name      string  `json:"name"`
	Reference string  `json:"reference"`
	Ours      float64 `json:"ours_us"`      // median, microseconds
	Theirs    float64 `json:"reference_us"` // median, microseconds
	Ratio     float64 `json:"ratio"`        // of the medians
	Bar       float64 `json:"bar,omitempty"`
}

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	dir, err := os.MkdirTemp("", "agentos-bench-")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := measure(dir)
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

// measure is every row, in order.
func measure(dir string) ([]Row, error) {
	var rows []Row
	for _, bench := range []func(string) (Row, error){shellLoop, newHost, manyTools} {
		row, err := bench(dir)
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
	row := Row{Name: name, Reference: reference, Ours: median(mine), Theirs: median(other), Bar: bar}
	row.Ratio = row.Ours / row.Theirs
	return row, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func printTable(rows []Row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "what\tours µs\treference µs\tratio\tbar\treference")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.2f\t%.2f\t%s\n", r.Name, r.Ours, r.Theirs, r.Ratio, r.Bar, r.Reference)
	}
	return w.Flush()
}
