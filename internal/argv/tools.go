package argv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Tools are the paths of the commands that can be called, sorted; the empty path
// is the toolkit's own body.
func Tools(def *toolkit.Definition) [][]string {
	var paths [][]string
	for _, s := range tools(newScope(def)) {
		paths = append(paths, s.names())
	}
	return paths
}

// RequiredSignature is Signature without what may be left out.
func RequiredSignature(def *toolkit.Definition, path []string) string {
	s := scopeAt(def, path)
	if s == nil || s.body() == nil {
		return ""
	}
	var parts []string
	for _, p := range s.shown() {
		if text := s.usageOf(p); p.demanded() && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// Inline is a text of an untrusted author as part of one line: white space is one
// space, and what is not seen, or moves what is seen, is gone.
func Inline(text string) string { return inline(text) }

// Sentence is the first sentence of such a text, at most 200 characters: the whole
// of a vetted summary, if that is one sentence.
func Sentence(text string) string { return firstSentence(text) }

// IsName reports whether the name is one that a toolkit, group or tool may bear.
func IsName(name string) bool { return wrongName(name) == "" }

// ExampleLine is the command line of one of the command's examples: that of its
// input with a file for each required secret, which no example holds. There is none
// where a required secret cannot come from a file of its own.
func ExampleLine(program string, def *toolkit.Definition, path []string, example json.RawMessage) (string, error) {
	if s := scopeAt(def, path); s != nil {
		example = s.withSecrets(example)
	}
	return CommandLine(program, def, path, example)
}

// BridgeOptions are the bridge's own options on a line, as far as they can be told
// without knowing its command: how to print why the command is not known.
func BridgeOptions(line *Line) Options {
	inv, _ := Parse(&toolkit.Definition{}, &Line{Program: line.Program, Args: line.Args, Env: line.Env}) // the error is about the command
	return inv.Options
}
