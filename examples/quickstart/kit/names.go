package kit

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// find is the city of that name, in any case.
func find(name string) (*city, bool) {
	for i := range normals {
		if strings.EqualFold(normals[i].name, strings.TrimSpace(name)) {
			return &normals[i], true
		}
	}
	return nil, false
}

// unknown says that there is no such city, and which ones are near.
func unknown(name string) *toolkit.Error {
	err := notFound.Errorf("no city %.64q", name)
	if names := near(name); len(names) > 0 {
		err.Message += "; nearest: " + strings.Join(names, ", ")
	}
	err.Hint = "agentos-weather cities"
	return err
}

// near are up to three cities whose names differ from the given one in less than
// half of its bytes, best first. A text too long for a name has none: distance
// takes time with its length, which is the guest's to choose.
func near(name string) []string {
	if len(name) > 64 {
		return nil
	}
	type candidate struct {
		name  string
		edits int
	}
	var found []candidate
	for _, city := range normals {
		edits := distance(strings.ToLower(name), strings.ToLower(city.name))
		if edits*2 < len(name) {
			found = append(found, candidate{city.name, edits})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.edits - b.edits })
	var names []string
	for _, c := range found[:min(3, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// distance counts the bytes to insert, delete or replace to turn a into b
// (Levenshtein). Only the previous row of the table is kept.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
