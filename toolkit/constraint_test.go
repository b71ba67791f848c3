package toolkit

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestConstraintsAreData(t *testing.T) {
	for _, row := range []struct {
		constraint Constraint
		want       string
	}{
		{RequiresAll("a", "b"), `{"kind":"requires-all","terms":[{"name":"a"},{"name":"b"}]}`},
		{RequiresAny("a"), `{"kind":"requires-any","terms":[{"name":"a"}]}`},
		{AllOrNone("a", "b"), `{"kind":"all-or-none","terms":[{"name":"a"},{"name":"b"}]}`},
		{Mutex("a", "b"), `{"kind":"mutex","groups":[[{"name":"a"}],[{"name":"b"}]]}`},
		{Implies(All(Present("a")), Any(Present("b"), ValueIs("c", "x"))),
			`{"kind":"implies","if":{"terms":[{"name":"a"}]},"then":{"any":true,"terms":[{"name":"b"},{"name":"c","value":"x"}]}}`},
		{Forbids(All(ValueIs("mode", "fast"), ValueIs("n", 3)), All(Present("safe"))),
			`{"kind":"forbids","if":{"terms":[{"name":"mode","value":"fast"},{"name":"n","value":3}]},"then":{"terms":[{"name":"safe"}]}}`},
	} {
		t.Run(string(row.constraint.Kind), func(t *testing.T) {
			got := asJSON(t, row.constraint)
			if got != row.want {
				t.Errorf("constraint: got %s, want %s", got, row.want)
			}
			var again Constraint
			if err := json.Unmarshal([]byte(got), &again); err != nil || !reflect.DeepEqual(again, row.constraint) {
				t.Errorf("read back: got %+v (%v), want %+v", again, err, row.constraint)
			}
		})
	}
}

// TestValueThatJSONCannotExpress is no valid JSON, which the definition checks see.
func TestValueThatJSONCannotExpress(t *testing.T) {
	if term := ValueIs("a", make(chan int)); json.Valid(term.Value) {
		t.Errorf("value: got %s, want what is not JSON", term.Value)
	}
}
