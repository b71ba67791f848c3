package kit

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// on is a clock that stands at noon of a day in the year 2026.
func on(month time.Month, day int) func() time.Time {
	return func() time.Time { return time.Date(2026, month, day, 12, 0, 0, 0, time.UTC) }
}

// call runs a tool of the toolkit as a host does, from JSON to JSON.
func call(t *testing.T, kit *toolkit.Toolkit, name, input string) (string, error) {
	t.Helper()
	at := slices.IndexFunc(kit.Tools, func(tool toolkit.Tool) bool {
		command, err := tool.Command()
		return err == nil && command.Name == name
	})
	if at < 0 {
		t.Fatalf("no sound tool %q", name)
	}
	in, err := kit.Tools[at].Decode(json.RawMessage(input))
	if err != nil {
		t.Fatal(err)
	}
	out, err := kit.Tools[at].Run(context.Background(), in)
	if err != nil {
		return "", err
	}
	result, err := json.Marshal(out)
	return string(result), err
}

func TestForecast(t *testing.T) {
	tests := []struct {
		rule, input string
		today       func() time.Time
		want        string
	}{
		{"today's month", `{"city":"Paris","days":3}`, on(time.July, 14), `{"temperature":20.4,"condition":"some rain"}`},
		{"another month", `{"city":"Paris","days":3,"month":1}`, on(time.July, 14), `{"temperature":4.6,"condition":"some rain"}`},
		{"each day counts with its own month", `{"city":"Paris","days":3}`, on(time.August, 31), `{"temperature":17.6,"condition":"some rain"}`}, // (20.1 + 2×16.3) / 3
		{"over the turn of the year", `{"city":"Sydney","days":2}`, on(time.December, 31), `{"temperature":22.8,"condition":"some rain"}`},
		{"from the month's first day", `{"city":"Paris","days":16,"month":2}`, on(time.January, 31), `{"temperature":5,"condition":"some rain"}`},
		{"a name in any case", `{"city":" new YORK ","days":1,"month":7}`, on(time.July, 1), `{"temperature":26,"condition":"rainy"}`},
		{"snow", `{"city":"Moscow","days":1,"month":1}`, on(time.July, 1), `{"temperature":-6.2,"condition":"some snow"}`},
		{"dry", `{"city":"Cairo","days":1,"month":7}`, on(time.July, 1), `{"temperature":29.2,"condition":"mostly dry"}`},
		{"monsoon", `{"city":"New Delhi","days":1,"month":8}`, on(time.July, 1), `{"temperature":30.4,"condition":"very rainy"}`},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			got, err := call(t, toolkitAt(test.today), "forecast", test.input)
			if err != nil || got != test.want {
				t.Errorf("forecast %s = %s, %v; want %s", test.input, got, err, test.want)
			}
		})
	}
}

// The day is that of UTC, wherever the host is.
func TestForecastInUTC(t *testing.T) {
	east := time.FixedZone("UTC+9", 9*60*60)
	newYear := func() time.Time { return time.Date(2027, time.January, 1, 8, 0, 0, 0, east) }
	got, err := call(t, toolkitAt(newYear), "forecast", `{"city":"Tokyo","days":1}`)
	if want := `{"temperature":7.7,"condition":"some rain"}`; err != nil || got != want {
		t.Errorf("forecast = %s, %v; want December's %s", got, err, want)
	}
}

func TestForecastOfNoCity(t *testing.T) {
	tests := []struct{ city, want string }{
		{"Pariss", `no city "Pariss"; nearest: Paris`},
		{"paris, FR", `no city "paris, FR"; nearest: Paris`},
		{"Seol", `no city "Seol"; nearest: Seoul`},
		{"Atlantis", `no city "Atlantis"`},
		{"", `no city ""`},
		{"a\x1b[31m", `no city "a\x1b[31m"`},
		{strings.Repeat("x", 1<<20), `no city "` + strings.Repeat("x", 64) + `"`},
	}
	for _, test := range tests {
		_, err := forecast(on(time.July, 1)(), ForecastArgs{City: test.city, Days: 3})
		var declared *toolkit.Error
		if !errors.As(err, &declared) || !errors.Is(err, notFound) || declared.ExitStatus() != 3 {
			t.Errorf("forecast of %.20q: error = %v, want NOT_FOUND with exit 3", test.city, err)
			continue
		}
		if declared.Message != test.want || declared.Hint != "agentos-weather cities" {
			t.Errorf("forecast of %.20q: message %q, hint %q; want %q", test.city, declared.Message, declared.Hint, test.want)
		}
	}
}

func TestNear(t *testing.T) {
	tests := []struct {
		word string
		want []string
	}{
		{"Tokio", []string{"Tokyo"}},
		{"Tunic", []string{"Tunis", "Turin"}}, // best first,
		{"newdelhi", []string{"New Delhi"}},
		{"Reykjavík", []string{"Reykjavik"}},
		{"Xyzzy", nil},
	}
	for _, test := range tests {
		if got := near(test.word); !reflect.DeepEqual(got, test.want) {
			t.Errorf("near(%q) = %q, want %q", test.word, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 2},
	}
	for _, test := range tests {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestCities(t *testing.T) {
	tests := []struct{ input, want string }{
		{`{"country":"FR"}`, `{"cities":["Paris"]}`},
		{`{"country":"jp"}`, `{"cities":["Naha","Osaka","Sapporo","Tokyo"]}`},
		{`{"country":"AQ"}`, `{"cities":[]}`},
	}
	for _, test := range tests {
		got, err := call(t, Toolkit(), "cities", test.input)
		if err != nil || got != test.want {
			t.Errorf("cities %s = %s, %v; want %s", test.input, got, err, test.want)
		}
	}
}

// Every city that cities names has a forecast in every month: the chain
// agentos-weather forecast --city "$(agentos-weather cities --field /cities/0)".
func TestCitiesThenForecast(t *testing.T) {
	all, err := cities(context.Background(), CitiesArgs{})
	if err != nil {
		t.Fatal(err)
	}
	names := all.Cities
	if len(names) != len(normals) || !slices.IsSorted(names) {
		t.Errorf("cities gives %d names, sorted %v; want all %d, sorted", len(names), slices.IsSorted(names), len(normals))
	}
	for _, name := range names {
		for month := range 12 {
			if _, err := forecast(time.Time{}, ForecastArgs{City: name, Days: 16, Month: month + 1}); err != nil {
				t.Errorf("forecast of %s in month %d: %v", name, month+1, err)
			}
		}
	}
}

// A result of -0 would look odd to its reader.
func TestNoNegativeZero(t *testing.T) {
	for _, city := range normals {
		for day := range 366 {
			got, err := forecast(time.Date(2028, 1, 1+day, 0, 0, 0, 0, time.UTC), ForecastArgs{City: city.name, Days: 16})
			text, _ := json.Marshal(got.Temperature)
			if err != nil || string(text) == "-0" {
				t.Fatalf("forecast of %s on day %d = %s, %v", city.name, day, text, err)
			}
		}
	}
}
