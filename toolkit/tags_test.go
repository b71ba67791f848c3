package toolkit

import (
	"reflect"
	"testing"
)

// FuzzParseTag: what parseTag reads without a complaint, reflect reads the same.
func FuzzParseTag(f *testing.F) {
	for _, tag := range []string{
		``, `json:"a"`, `json:"a,omitempty" help:"A b."`, `help:"say \"hi\""  env:"E"`, `json:"a"help:"b"`, `a:"" b:"\u00e9"`,
		`json`, `json:`, `json:a`, `json:'a'`, "json:`a`", `:"a"`, `a b:"c"`, `a:"b`, `a:"1" a:"2"`, ` `, `é:"x"`,
	} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		values, err := parseTag(reflect.StructTag(tag))
		if err != nil {
			return
		}
		for key, want := range values {
			if got, ok := reflect.StructTag(tag).Lookup(key); !ok || got != want {
				t.Errorf("tag %q, key %q: reflect got %q %t, want %q", tag, key, got, ok, want)
			}
		}
	})
}

func TestParseSep(t *testing.T) {
	for _, row := range []struct {
		text      string
		delimiter string
		repeats   bool
		ok        bool
	}{
		{",", ",", false, true},
		{",...", ",", true, true},
		{"·", "·", false, true},
		{".", ".", false, true},
		{"....", ".", true, true},
		{"...", "", false, false},
		{",,", "", false, false},
		{",..", "", false, false},
		{"", "", false, false},
	} {
		delimiter, repeats, err := parseSep(row.text)
		if delimiter != row.delimiter || repeats != row.repeats || (err == nil) != row.ok {
			t.Errorf("sep %q: got %q %t (%v), want %q %t", row.text, delimiter, repeats, err, row.delimiter, row.repeats)
		}
	}
}
