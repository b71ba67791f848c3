package argv

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// FuzzDefinition has any definition judged and shown: nothing panics, no text
// holds what cannot be seen, and of a sound definition every example parses.
func FuzzDefinition(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "definitions", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("definitions: %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		`{}`, `{"commands":[{}],"body":{"options":[{}],"positionals":[{}],"tail":{},"flags":[{}],"constraints":[{}],"errors":[{}]}}`,
		`{"body":{"options":[{"name":"a","schema":{"$ref":"#/$defs/A"}}],"input":{"$defs":{"A":{"$ref":"#/$defs/A"}}}}}`,
		`{"body":{"options":[{"schema":{"type":["array","array"],"items":null,"minimum":1e9999}}],"result":{"anyOf":[null,{"allOf":[null]}]}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { tryDefinition(t, text) })
}

// tryDefinition judges and shows the definition, if the text is one.
func tryDefinition(t *testing.T, text []byte) {
	t.Helper()
	def := &toolkit.Definition{}
	if json.Unmarshal(text, def) != nil {
		return
	}
	sound := len(Vet(def)) == 0
	for name, shown := range shownTexts(def) {
		if r, found := hiddenIn(shown); found {
			t.Errorf("definition %s\n%s holds %U:\n%q", text, name, r, shown)
		}
	}
	if sound {
		checkExamples(t, def)
	}
}

// TestChangedDefinitions replaces random parts of sound definitions by values
// that do not belong there.
func TestChangedDefinitions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	values := []string{
		`null`, `true`, `0`, `-1`, `1e300`, `""`, `"a b"`, `"\u001b\u202e\n"`, `"--"`, `"$ref"`, `[]`, `[null]`, `["a",1]`, `{}`,
		`{"type":"object"}`, `{"$ref":"#"}`, `{"type":["string","null","array"]}`,
	}
	for range cases(t) {
		file := []string{"kinds", "repo", "weather", "x"}[random.IntN(4)]
		text, err := os.ReadFile(filepath.Join("testdata", "definitions", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(3) {
			tree = changed(random, tree, values)
		}
		if text, err = json.Marshal(tree); err != nil {
			t.Fatal(err)
		}
		tryDefinition(t, text)
	}
}

// changed is the tree with one part replaced or, of an object, left out.
func changed(random *rand.Rand, tree any, values []string) any {
	switch node := tree.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(node))
		if len(names) == 0 || random.IntN(12) == 0 {
			break
		}
		name := names[random.IntN(len(names))]
		if random.IntN(10) == 0 {
			delete(node, name)
			return node
		}
		node[name] = changed(random, node[name], values)
		return node
	case []any:
		if len(node) == 0 || random.IntN(12) == 0 {
			break
		}
		i := random.IntN(len(node))
		node[i] = changed(random, node[i], values)
		return node
	}
	var value any
	if err := json.Unmarshal([]byte(values[random.IntN(len(values))]), &value); err != nil {
		panic(err)
	}
	return value
}

// checkExamples parses the lines of all examples of the definition.
func checkExamples(t *testing.T, def *toolkit.Definition) {
	t.Helper()
	for _, s := range tools(newScope(def)) {
		for _, example := range s.command().Examples {
			words, err := s.words(s.withSecrets(example.Input))
			if err != nil {
				t.Fatalf("words of %s: %v", example.Input, err)
			}
			if _, err := Parse(def, &Line{Program: "agentos-x", Args: words}); err != nil {
				t.Errorf("example %s as %q: %v", example.Input, words, err)
			}
		}
	}
}
