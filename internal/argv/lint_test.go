package argv

import (
	"slices"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestLintNamesParametersThatHideABridgeOption(t *testing.T) {
	text := &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}}
	def := &toolkit.Definition{Command: toolkit.Command{
		Name:    "x",
		Globals: toolkit.Globals{Options: []toolkit.Option{{Name: "output", Schema: text}}},
		Commands: []toolkit.Command{
			{Name: "a", Body: &toolkit.Body{Options: []toolkit.Option{{Name: "json", Schema: text}, {Name: "name", Schema: text}}}},
			{Name: "b", Body: &toolkit.Body{Positionals: []toolkit.Positional{{Name: "help", Schema: text}}}},
		},
	}}
	want := []string{
		`toolkit "x": global option "output": --output is the parameter here; the bridge's own option is --agentos:output`,
		`toolkit "x": tool "a": option "json": --json is the parameter here; the bridge's own option is --agentos:json`,
	}
	if got := Lint(def); !slices.Equal(got, want) {
		t.Errorf("Lint = %q, want %q", got, want)
	}
}
