package kit

import (
	_ "embed" // for normals.csv
	"encoding/csv"
	"strconv"
	"strings"
	"time"
)

//go:embed normals.csv
var normalsCSV string

// city is a row of normals.csv. Its months count from January.
type city struct {
	name, country string
	celsius       [12]float64 // mean temperature of the month
	mm            [12]float64 // precipitation of the month
}

// normals are the cities by name.
var normals = mustRead(normalsCSV)

// Columns of normals.csv: the texts, then twelve temperatures, then twelve totals.
const (
	nameColumn = iota
	countryColumn
	stationColumn
	latitudeColumn
	longitudeColumn
	celsiusColumn
	mmColumn = celsiusColumn + 12
)

// mustRead panics on a broken table: it is part of the program, and a test reads it.
func mustRead(table string) []city {
	reader := csv.NewReader(strings.NewReader(table))
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		panic("read normals.csv: " + err.Error())
	}
	cities := make([]city, 0, len(rows))
	for _, row := range rows[1:] {
		c := city{name: row[nameColumn], country: row[countryColumn]}
		for month := range 12 {
			c.celsius[month] = mustFloat(row[celsiusColumn+month])
			c.mm[month] = mustFloat(row[mmColumn+month])
		}
		cities = append(cities, c)
	}
	return cities
}

func mustFloat(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("read normals.csv: " + err.Error())
	}
	return value
}

// mean is the mean temperature of some days and the mean of their months'
// precipitation: each day counts with the normals of the month it is in.
func (c *city) mean(first time.Time, days int) (celsius, mm float64) {
	for day := range days {
		month := first.AddDate(0, 0, day).Month() - 1
		celsius += c.celsius[month]
		mm += c.mm[month]
	}
	return celsius / float64(days), mm / float64(days)
}

// condition puts a month's precipitation (mm) in words; the steps are this kit's own.
func condition(celsius, mm float64) string {
	word := "rain"
	if celsius < 0 {
		word = "snow"
	}
	switch {
	case mm < 25:
		return "mostly dry"
	case mm < 75:
		return "some " + word
	case mm < 150:
		return word + "y"
	}
	return "very " + word + "y"
}
