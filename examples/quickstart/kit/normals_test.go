package kit

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rows reads the table as the package does, head included.
func rows(t *testing.T) [][]string {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(normalsCSV))
	reader.Comment = '#'
	rows, err := reader.ReadAll() // the same number of columns in each
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestTableNamesItsSource(t *testing.T) {
	for _, word := range []string{"1991-2020", "Source: Japan Meteorological Agency", "https://www.data.jma.go.jp/", "Licence: Public Data License 1.0"} {
		if !strings.Contains(normalsCSV, word) {
			t.Errorf("the head of normals.csv lacks %q", word)
		}
	}
}

func TestTableColumns(t *testing.T) {
	head := rows(t)[0]
	want := map[int]string{
		nameColumn: "city", countryColumn: "country", stationColumn: "station", latitudeColumn: "latitude",
		longitudeColumn: "longitude", celsiusColumn: "t01", celsiusColumn + 11: "t12", mmColumn: "p01", mmColumn + 11: "p12",
	}
	for column, name := range want {
		if head[column] != name {
			t.Errorf("column %d = %q, want %q", column, head[column], name)
		}
	}
	if len(head) != mmColumn+12 {
		t.Errorf("%d columns, want %d", len(head), mmColumn+12)
	}
}

func TestTableRows(t *testing.T) {
	body := rows(t)[1:]
	if len(body) < 30 || len(body) != len(normals) {
		t.Errorf("%d rows, %d cities; want the same, 30 at least", len(body), len(normals))
	}
	forms := map[int]*regexp.Regexp{
		nameColumn:    regexp.MustCompile(`^[A-Z][a-z]+( [A-Z][a-z]+)*$`),
		countryColumn: regexp.MustCompile(`^[A-Z]{2}$`),
		stationColumn: regexp.MustCompile(`^[0-9]{5}$`),
	}
	stations := map[string]bool{}
	for i, row := range body {
		for column, form := range forms {
			if !form.MatchString(row[column]) {
				t.Errorf("%s: column %d = %q, want %s", row[nameColumn], column, row[column], form)
			}
		}
		if i > 0 && body[i-1][nameColumn] >= row[nameColumn] {
			t.Errorf("%s comes after %s; want each name once, in order", row[nameColumn], body[i-1][nameColumn])
		}
		if stations[row[stationColumn]] {
			t.Errorf("%s: station %s is there twice", row[nameColumn], row[stationColumn])
		}
		stations[row[stationColumn]] = true
	}
}

// The bounds are those of places where many people live; Ulaanbaatar and Riyadh
// are near the two of temperature.
func TestTableIsPlausible(t *testing.T) {
	for _, city := range normals {
		year := 0.0
		for month := range 12 {
			if c := city.celsius[month]; c < -25 || c > 40 {
				t.Errorf("%s, month %d: %g °C, want -25 to 40", city.name, month+1, c)
			}
			if mm := city.mm[month]; mm < 0 || mm > 500 {
				t.Errorf("%s, month %d: %g mm, want 0 to 500", city.name, month+1, mm)
			}
			year += city.mm[month]
		}
		if year < 1 || year > 3000 {
			t.Errorf("%s: %g mm a year, want 1 to 3000", city.name, year)
		}
	}
}

// Away from the tropics July is warm in the north and cold in the south, and
// no month differs from the next by more than a season's step: a slip in the
// table would.
func TestTableHasSeasons(t *testing.T) {
	for i, row := range rows(t)[1:] {
		latitude, err := strconv.ParseFloat(row[latitudeColumn], 64)
		if err != nil {
			t.Fatal(err)
		}
		city := normals[i]
		summer := city.celsius[6] - city.celsius[0]
		if latitude > 23.5 && summer < 5 || latitude < -23.4 && summer > -5 {
			t.Errorf("%s at %g°: July - January = %.1f °C", city.name, latitude, summer)
		}
		for month := range 12 {
			next := (month + 1) % 12
			if step := city.celsius[next] - city.celsius[month]; step < -12 || step > 12 {
				t.Errorf("%s: %.1f °C from month %d to %d, want at most 12", city.name, step, month+1, next+1)
			}
		}
	}
}

// The figures that other tests and the documentation rely on, as published.
func TestTableFigures(t *testing.T) {
	tests := []struct {
		name        string
		month       int
		celsius, mm float64
	}{
		{"Paris", 1, 4.6, 44.8}, {"Paris", 7, 20.4, 53.1}, {"London", 12, 6.1, 59.6},
		{"Tokyo", 8, 26.9, 154.7}, {"Sydney", 1, 23.5, 79.3}, {"Lima", 6, 17.9, 0},
	}
	for _, test := range tests {
		city, ok := find(test.name)
		if !ok || city.celsius[test.month-1] != test.celsius || city.mm[test.month-1] != test.mm {
			t.Errorf("%s, month %d = %+v, want %g °C and %g mm", test.name, test.month, city, test.celsius, test.mm)
		}
	}
}

func TestBrokenTablePanics(t *testing.T) {
	for _, table := range []string{"a,b\nc\n", "head" + strings.Repeat(",x", 28) + "\ncity" + strings.Repeat(",x", 28)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("mustRead(%.20q) returned, want a panic", table)
				}
			}()
			mustRead(table)
		}()
	}
}
