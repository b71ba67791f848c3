package argv

import (
	"encoding/json"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// secretPath stands for the file that holds a secret, on lines made without one.
const secretPath = "PATH"

// exposedSecret is the fault of a secret on the line, where every process of the
// machine can read it. It never repeats the value.
func exposedSecret(r refs, p *param) *fault {
	expected := "a secret by --json @PATH or as JSON on stdin"
	if r.takesFile(p) {
		expected = "a secret by --" + p.cli + "-file PATH, --json @PATH or as JSON on stdin"
	}
	return &fault{expected: expected, clause: "a secret on the command line is visible to others, expected " + expected, usage: true}
}

// secrets are the keys of the parameters whose values no example and no line that
// is made here has, so that they cannot be judged in it.
func (s *scope) secrets() map[string]bool {
	keys := map[string]bool{}
	for _, p := range s.params {
		if p.secret {
			keys[p.wire] = true
		}
	}
	return keys
}

// withSecrets is the input with something in place of each required secret that
// it lacks: an example never holds a secret, and without one its line would not
// run. What stands there is not shown (see [CommandLine]).
func (s *scope) withSecrets(input json.RawMessage) json.RawMessage {
	value, err := strictjson.Parse(input)
	if err != nil || value.Kind != strictjson.Object {
		return input
	}
	for _, p := range s.params {
		if p.secret && p.demanded() && value.Get(p.wire) == nil {
			value.Set(p.wire, strictjson.Text(secretPath))
		}
	}
	return value.Append(nil)
}

// withoutSecrets takes the secrets out of an input.
func (s *scope) withoutSecrets(input *strictjson.Value) {
	for _, p := range s.params {
		if p.secret {
			remove(input, p.wire)
		}
	}
}
