package validate

import "testing"

// TestCase_B053 is about defaults that only the validator can judge; argv vets what it
// judges itself.
func TestCase_B053(t *testing.T) {
	tests := []struct{ schema, want string }{
		{`{"properties":{"a":{"type":"string","pattern":"^a","default":"b"}}}`, `properties.a.default: got "b", expected string that matches ^a`},
		{`{"properties":{"a":{"type":"string","pattern":"^a","default":"ab"}}}`, ``},
		{`{"properties":{"a":{"type":"string","format":"email","default":"b"}}}`, `properties.a.default: got "b", expected email address`},
		{`{"properties":{"a":{"type":"object","properties":{"n":{"type":"integer","minimum":1,"default":0}}}}}`, `properties.a.properties.n.default: got 0, expected integer of at least 1`},
		{`{"properties":{"a":{"$ref":"#/$defs/n","default":"x"}},"$defs":{"n":{"type":"integer","default":1.5}}}`, "$defs.n.default: got 1.5, expected integer\nproperties.a.default: got \"x\", expected integer"},
		{`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"b":{"multipleOf":2,"default":4}}}`, ``},
	}
	for _, test := range tests {
		got := ""
		if err := compiled(t, test.schema, nil).VetDefaults(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.schema, got, test.want)
		}
	}
}
