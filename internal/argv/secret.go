package argv

import (
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// isReference reports whether the text names a secret instead of being one.
func isReference(text string) bool {
	name, ok := strings.CutPrefix(text, "secret:")
	return ok && name != "" && !strings.ContainsAny(name, " \t\r\n")
}

// exposedSecret is the fault of a secret on the line, where every process of the
// machine can read it. It never repeats the value.
func exposedSecret(r refs, p *param) *fault {
	expected := "a secret by --json @PATH or stdin"
	if r.takesFile(p) {
		expected = "a secret by --" + p.cli + "-file PATH, --json @PATH or stdin"
	}
	return &fault{expected: expected, clause: "a secret on the command line is visible to others, expected " + expected, usage: true}
}

// exposes reports whether inline JSON holds the secret itself.
func exposes(value *strictjson.Value) bool {
	return value.Kind != strictjson.String || !isReference(value.Text)
}
