package toolkit

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
)

type Base struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type hiddenBase struct {
	Region string `json:"region"`
	secret int    //lint:ignore U1000 an unexported field is what the test is about
}

type Deep struct {
	Base
	Level int
}

type Own struct {
	Name string
}

type Scalar int

// TestMembersAreThoseOfEncodingJSON: what JSON sees of a struct, encoding/json
// decides.
func TestMembersAreThoseOfEncodingJSON(t *testing.T) {
	for _, row := range []struct {
		name string
		v    any
	}{
		{"plain", Base{}},
		{"embedded", struct {
			Base
			X int
		}{}},
		{"embedded pointer", struct {
			*Base
			X int
		}{Base: &Base{}}},
		{"embedded twice over", struct {
			Deep
			X int
		}{}},
		{"embedded under a name", struct {
			Base `json:"base"`
		}{}},
		{"an unexported struct's exported fields", struct {
			hiddenBase
			X int
		}{}},
		{"the outer field hides the inner", struct {
			Base
			ID string `json:"id"`
		}{}},
		{"the shallower of two hides the deeper", struct {
			Deep
			Own
			Name int `json:"Level"`
		}{}},
		{"a tagged name beats a plain one", struct {
			A struct{} `json:"name"`
			Own
			Tagged
		}{}},
		{"an embedded type that is no struct", struct {
			Scalar
		}{}},
		{"left out", struct {
			A int `json:"-"`
			//lint:ignore SA5008 the name "-" is what the test is about
			B int `json:"-,"`
			c int
		}{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ts := newTypes(false)
			var got []string
			for _, m := range ts.members(reflect.TypeOf(row.v), "") {
				got = append(got, m.name)
			}
			slices.Sort(got)
			if want := keysOf(t, row.v); !slices.Equal(got, want) || len(ts.mistakes) > 0 {
				t.Errorf("members: got %q (%v), want %q", got, ts.mistakes, want)
			}
		})
	}
}

type Tagged struct {
	Alias int `json:"Name"`
}

// keysOf are the keys that encoding/json writes, sorted.
func keysOf(t *testing.T, v any) []string {
	t.Helper()
	var keys map[string]any
	if err := json.Unmarshal([]byte(asJSON(t, v)), &keys); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(keys))
}

func TestMembersKeepDeclaredOrder(t *testing.T) {
	var got []string
	for _, m := range newTypes(false).members(reflect.TypeFor[struct {
		Z int
		Base
		A int
	}](), "") {
		got = append(got, m.name)
	}
	if want := []string{"Z", "id", "name", "A"}; !slices.Equal(got, want) {
		t.Errorf("order: got %q, want %q", got, want)
	}
}

// TestAmbiguousMembersAreReported: encoding/json drops both in silence, and a
// parameter would be missing.
func TestAmbiguousMembersAreReported(t *testing.T) {
	type Other struct {
		Name string `json:"name"`
	}
	both := reflect.StructOf([]reflect.StructField{
		{Name: "Base", Type: reflect.TypeFor[Base](), Anonymous: true},
		{Name: "Other", Type: reflect.TypeFor[Other](), Anonymous: true},
	})
	want := `field Base.Name: the name "name" is also that of Other.Name`
	if got := mistakesOf(both); got != want {
		t.Errorf("mistakes: got %s, want %s", got, want)
	}
}

// Loop embeds itself, which ends at the first level.
type Loop struct {
	*Loop
	A int
}

type pointed struct{ A int }

func TestEmbeddedPointers(t *testing.T) {
	ts := newTypes(false)
	if members := ts.members(reflect.TypeFor[struct{ Loop }](), ""); len(members) != 1 || len(ts.mistakes) > 0 {
		t.Errorf("a struct that embeds itself: got %d members (%v), want A alone", len(members), ts.mistakes)
	}
	want := "field pointed: an embedded pointer to an unexported struct cannot be decoded"
	if got := mistakesOf(reflect.TypeFor[struct{ *pointed }]()); got != want {
		t.Errorf("mistakes: got %s, want %s", got, want)
	}
}
