package argv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// maxChoicesTold is how many enumerated values an error lists.
const maxChoicesTold = 40

// expected says in words what the schema asks for: "integer from 1 to 16",
// "one of red, green".
func (r refs) expected(schema *toolkit.Schema) string {
	schema = r.plain(schema)
	text := r.expectedType(schema)
	if schema.Nullable() {
		text += " or null"
	}
	return text
}

func (r refs) expectedType(schema *toolkit.Schema) string {
	if len(schema.Enum) > 0 {
		return "one of " + capped(choiceTexts(schema), maxChoicesTold)
	}
	if types := valueTypes(schema); len(types) > 1 {
		return strings.Join(types, " or ")
	}
	switch kind := kindOf(schema); kind {
	case toolkit.TypeBoolean:
		return "true or false"
	case toolkit.TypeInteger, toolkit.TypeNumber:
		return kind + rangeText(schema)
	case toolkit.TypeString:
		return "string"
	case toolkit.TypeNull:
		return "null"
	case toolkit.TypeObject:
		if isMap(schema) {
			return "KEY=VALUE or an object in JSON"
		}
		return "object in JSON, e.g. '" + string(r.exampleObject(schema).Append(nil)) + "'"
	case toolkit.TypeArray:
		return "array in JSON, e.g. '" + r.exampleArray(schema) + "'"
	}
	return "a value in JSON, e.g. " + quoted(string(r.exampleValue(schema, maxHops).Append(nil)))
}

// expectedFor is what the schema asks for in place of a word that is no JSON: where
// text is among what it allows, that is the word in quotes.
func (r refs) expectedFor(schema *toolkit.Schema, word string) string {
	if kindOf(schema) == "" && len(schema.Type) == 0 && r.allowsText(schema) && len(word) <= maxShown && isVisible(word) {
		return "a value in JSON, e.g. " + quoted(string(strictjson.Text(word).Append(nil)))
	}
	return r.expected(schema)
}

// allowsText reports whether text is among what a schema of no particular type
// allows.
func (r refs) allowsText(schema *toolkit.Schema) bool {
	branches := alternatives(schema)
	isText := func(branch *toolkit.Schema) bool { return kindOf(r.plain(branch)) == toolkit.TypeString }
	return len(branches) == 0 || slices.ContainsFunc(branches, isText)
}

// exampleValue shows the notation of a value of no particular type, by the first
// of its alternatives.
func (r refs) exampleValue(schema *toolkit.Schema, hops int) *strictjson.Value {
	schema = r.plain(schema)
	for _, branch := range alternatives(schema) {
		if hops > 0 && !isNullType(branch) {
			return r.exampleValue(branch, hops-1)
		}
	}
	switch {
	case kindOf(schema) == toolkit.TypeObject:
		return r.exampleObject(schema)
	case kindOf(schema) == "" && len(schema.Const) == 0:
		return strictjson.Text("text")
	}
	return r.sample(schema)
}

// valueTypes are the declared types but null.
func valueTypes(schema *toolkit.Schema) []string {
	return slices.DeleteFunc(slices.Clone(schema.Type), func(name string) bool { return name == toolkit.TypeNull })
}

// choiceTexts are the enumerated values as they are written on the line.
func choiceTexts(schema *toolkit.Schema) []string {
	texts := make([]string, 0, len(schema.Enum))
	for _, raw := range schema.Enum {
		if choice, err := strictjson.Parse(raw); err == nil && choice.Kind != strictjson.Null {
			texts = append(texts, choiceText(choice))
		}
	}
	return texts
}

// rangeText is " from 1 to 16", or what is known of it.
func rangeText(schema *toolkit.Schema) string {
	low, high := schema.Minimum, schema.Maximum
	if low != "" && high != "" && schema.ExclusiveMinimum == "" && schema.ExclusiveMaximum == "" {
		return fmt.Sprintf(" from %s to %s", low, high)
	}
	var parts []string
	for _, part := range []struct {
		words string
		bound json.Number
	}{
		{" of at least ", low}, {" above ", schema.ExclusiveMinimum},
		{" of at most ", high}, {" below ", schema.ExclusiveMaximum},
	} {
		if part.bound != "" {
			parts = append(parts, part.words+string(part.bound))
		}
	}
	return strings.Join(parts, " and")
}

// countText is "1 to 5 characters", or what is known of it.
func countText(low, high *int, unit string) string {
	switch {
	case low != nil && high != nil && *low == *high:
		return "exactly " + plural(*low, unit)
	case low != nil && high != nil:
		return fmt.Sprintf("%d to %s", *low, plural(*high, unit))
	case low != nil:
		return "at least " + plural(*low, unit)
	case high != nil:
		return "at most " + plural(*high, unit)
	}
	return ""
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// exampleObject shows the notation with the required properties, or else with
// the first one.
func (r refs) exampleObject(schema *toolkit.Schema) *strictjson.Value {
	names := slices.Clone(schema.Required)
	if len(names) == 0 && len(schema.Properties) > 0 {
		names = []string{slices.Min(slices.Collect(maps.Keys(schema.Properties)))}
	}
	object := strictjson.NewObject()
	for _, name := range names {
		object.Set(name, r.sample(schema.Properties[name]))
	}
	return object
}

func (r refs) exampleArray(schema *toolkit.Schema) string {
	return string(strictjson.NewArray(r.sample(schema.Items)).Append(nil))
}

// sample is a value of the schema's type that shows how it is written.
func (r refs) sample(schema *toolkit.Schema) *strictjson.Value {
	schema = r.plain(schema)
	for _, raw := range append([]json.RawMessage{schema.Default, schema.Const}, schema.Enum...) {
		if value, err := strictjson.Parse(raw); len(raw) > 0 && err == nil {
			return value
		}
	}
	switch kindOf(schema) {
	case toolkit.TypeInteger, toolkit.TypeNumber:
		return strictjson.Literal(sampleNumber(schema))
	case toolkit.TypeBoolean:
		return strictjson.Bool(true)
	case toolkit.TypeArray:
		return strictjson.NewArray()
	case toolkit.TypeObject:
		return strictjson.NewObject()
	case toolkit.TypeString:
		return strictjson.Text("text")
	}
	return &strictjson.Value{}
}

// sampleNumber is 1 where the bounds allow it, else the bound that does not.
func sampleNumber(schema *toolkit.Schema) string {
	switch low, high := string(schema.Minimum), string(schema.Maximum); {
	case low != "" && compareNumbers(low, "1") > 0:
		return low
	case high != "" && compareNumbers(high, "1") < 0:
		return high
	}
	return "1"
}
