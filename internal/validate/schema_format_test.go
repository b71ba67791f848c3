package validate

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestFormats: what is asserted, and that nothing else is.
func TestFormats(t *testing.T) {
	tests := map[string]struct{ good, bad []string }{
		"date": {
			[]string{"2026-01-31", "2024-02-29", "0000-01-01"},
			[]string{"", "2026-02-30", "2023-02-29", "26-01-31", "2026-1-31", "2026-01-31T", "2026-13-01", "٢٠٢٦-01-31"},
		},
		"date-time": {
			[]string{"2026-01-01T00:00:00Z", "2026-01-01t00:00:00z", "2026-01-01T00:00:00.123456789+05:30", "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.5-08:00", "1999-01-01T00:59:60+01:00"},
			[]string{"2026-02-30T00:00:00Z", "2026-01-01", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T24:00:00Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "1998-12-31T23:59:61Z", "2026-01-01T00:00:00+24:00", "2026-01-01T+1:00:00Z", "2026-01-01T00:00:00.Z"},
		},
		"time": {
			[]string{"09:30:00Z", "23:59:60Z", "00:29:60+00:30", "23:59:59.9-23:59"},
			[]string{"09:30", "09:30:00", "9:30:00Z", "09:60:00Z", "09:30:00 Z", "23:59:60+00:30"},
		},
		"duration": {
			[]string{"P1D", "P1Y2M3DT4H5M6S", "PT1H", "P2W", "PT0S", "P1M", "P1YT1S", "PT36H"},
			[]string{"", "P", "PT", "1D", "P1", "P1DT", "P1D2H", "P1S", "P1W1D", "P-1D", "1h30m", "P1Y1D", "PT1H1S", "P1.5D"},
		},
		"email": {
			[]string{"a@b.org", "joe.bloggs+tag@example.co.uk", "te~st@example.com", `"joe bloggs"@example.com`, "a@localhost", "a@[127.0.0.1]", "a@[IPv6:::1]"},
			[]string{"", "a", "@b.org", "a@", "a b@c.org", ".a@b.org", "a.@b.org", "a..b@c.org", "a@-b.org", "a@b..org", "a@[127.0.0.300]", "Joe <a@b.org>", strings.Repeat("a", 65) + "@b.org"},
		},
		"ipv4": {
			[]string{"192.168.0.1", "0.0.0.0"},
			[]string{"256.0.0.1", "127.0.0", "127.0.0.0.1", "087.10.0.1", "::1", "1.2.3.4/8", "0x7f.0.0.1"},
		},
		"ipv6": {
			[]string{"::1", "2001:db8::ff", "::ffff:192.168.0.1"},
			[]string{"1.2.3.4", "12345::", "::1%eth0", "1:2:3", ":::"},
		},
		"uri": {
			[]string{"https://example.org/a?b=c#d", "urn:isbn:0451450523", "mailto:a@b.org", "http://[::1]:80/", "file:///tmp/x", "ftp://a.org/%20"},
			[]string{"", "/relative", "//example.org", "example.org", "http://a b", "http://example.org/a b", `http://example.org/"`, "http://example.org/é", "1http://a", "http://[::g]/", "http://a.org/%zz"},
		},
		"uuid": {
			[]string{"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"},
			[]string{"", "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", "gba7b810-9dad-11d1-80b4-00c04fd430c8"},
		},
	}
	if got, want := slices.Sorted(maps.Keys(tests)), slices.Sorted(maps.Keys(formats)); !slices.Equal(got, want) {
		t.Fatalf("tested %s, want %s", got, want)
	}
	for name, test := range tests {
		schema := compiled(t, `{"format":"`+name+`"}`, nil)
		note := compiled(t, `{"format":"`+name+`"}`, &Options{AnnotateFormats: true})
		for _, text := range test.good {
			if got := verdict(schema, quoted(text)); got != "" {
				t.Errorf("%s: %q: got %s, want nothing", name, text, got)
			}
		}
		for _, text := range test.bad {
			if got := verdict(schema, quoted(text)); !strings.Contains(got, "expected "+formats[name].words) {
				t.Errorf("%s: %q: got %q, want a problem", name, text, got)
			}
			if got := verdict(note, quoted(text)); got != "" {
				t.Errorf("%s as a note: %q: got %s", name, text, got)
			}
		}
		if got := verdict(schema, `5`); got != "" {
			t.Errorf("%s: a number: got %s, want nothing: a format is about text", name, got)
		}
	}
	checkRulings(t, compiled(t, `{"format":"hostname","minLength":1}`, nil), ruling{`"-"`, ""})
	checkRulings(t, compiled(t, `{"$schema":"http://json-schema.org/draft-07/schema#","format":"hostname"}`, nil), ruling{`"-"`, ""})
}

// quoted is the text as JSON.
func quoted(text string) string { return string(must(jsonText(text))) }
