package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// body vets what makes the command callable, its parameters apart.
func (at site) body(s *scope) {
	body := s.body()
	if body == nil {
		return
	}
	at.places(body)
	at.files(s)
	at.constraints(s)
	at.slot("stdin", body.Stdin)
	at.slot("stdout", body.Stdout)
	at.slot("stderr", body.Stderr)
	at.inputSchema(s, body.Input)
	if body.Result != nil {
		at.schema("result", body.Result)
	}
	at.errorCases(body.Errors)
	if body.TimeoutMS < 0 {
		at.report("the timeout is %d ms; 0 means none, more is a limit", body.TimeoutMS)
	}
	if body.IdleTimeoutMS < 0 {
		at.report("the idle timeout is %d ms; 0 means none, more is a limit", body.IdleTimeoutMS)
	}
}

// places vets the order of the positionals and the tail.
func (at site) places(body *toolkit.Body) {
	optional := ""
	for _, p := range body.Positionals {
		switch {
		case !p.Required || len(fallback(p.Default, p.Schema)) > 0:
			optional = p.Name
		case optional != "":
			at.in("positional", p.Name).report("it is required but stands after the optional %q; required positionals come first", optional)
		}
	}
	if t := body.Tail; t != nil {
		at.in("tail", t.Name).tail(t)
	}
}

func (at site) tail(t *toolkit.Tail) {
	switch {
	case t.Min < 0 || t.Max < 0:
		at.report("it takes %d to %d items; neither may be negative", t.Min, t.Max)
	case t.Max > 0 && t.Min > t.Max:
		at.report("it takes at least %d and at most %d items; the least may not exceed the most", t.Min, t.Max)
	}
	if t.Verbatim && t.Separator == "" {
		at.report("it is verbatim without a separator; a word such as -- or :: must say where it starts")
	}
	at.word("separator", t.Separator)
}

// files vets that files are parameters, or items of a list: that is where contents
// can be sent for them.
func (at site) files(s *scope) {
	for _, p := range s.params {
		own := 0
		if fileFormat(p) != "" {
			own = 1
			if p.secret || len(p.fallback) > 0 || p.env != "" {
				at.in("parameter", p.wire).report("it is a file, which the caller names: it has no default, variable or secret")
			}
		}
		if countFiles(p.schema, 0) > own {
			at.in("parameter", p.wire).report("a file stands inside of it; files are parameters, or items of a list that is one")
		}
	}
}

// countFiles counts the schemas of files in a schema.
func countFiles(s *toolkit.Schema, depth int) int {
	if s == nil || depth > strictjson.MaxDepth {
		return 0
	}
	n := 0
	if isFile(s) {
		n++
	}
	for _, property := range s.Properties {
		n += countFiles(property, depth+1)
	}
	return n + countFiles(s.Items, depth+1) + countFiles(s.AdditionalProperties, depth+1)
}

func (at site) slot(name string, slot *toolkit.Slot) {
	if slot == nil {
		return
	}
	for _, mime := range slot.MIME {
		if !isMediaType(mime) {
			at.report("%s: %s is no media type; text/plain and image/* are", name, quotedWord(mime))
		}
	}
}

// isMediaType reports whether the text is a media type or range, with or without
// parameters (RFC 9110 §8.3.1, §12.5.1).
func isMediaType(text string) bool {
	const signs = "!#$&^_.+*-"
	name, parameters, _ := strings.Cut(text, ";")
	kind, subtype, _ := strings.Cut(strings.TrimRight(name, " "), "/")
	return madeOf(kind, signs) && madeOf(subtype, signs) && isVisible(parameters)
}

// errorCases vets the declared errors.
func (at site) errorCases(errors []toolkit.ErrorCase) {
	var names []string
	for i := range errors {
		e := &errors[i]
		at := at.in("error", e.Name)
		at.errorCase(e)
		if slices.Contains(names, e.Name) {
			at.report("it is declared twice")
		}
		names = append(names, e.Name)
	}
}

func (at site) errorCase(e *toolkit.ErrorCase) {
	if !wordsOf(e.Name, "_") || strings.ToUpper(e.Name) != e.Name {
		at.report("the name is not valid: it needs capitals and digits in words joined by single underscores, as in NOT_FOUND")
	} else if len(e.Name) > maxName {
		at.report("the name is %d bytes long, at most %d are valid", len(e.Name), maxName)
	}
	if _, taken := toolkit.CodeExit(e.Name); taken {
		at.report("the name is one of the bridge's own codes; any other is valid")
	}
	if e.Exit != 0 && e.Exit != 1 && (e.Exit < 3 || e.Exit > 63) {
		at.report("the exit status %d is not valid: 1 and 3 to 63 are, and 0 means 1; the others belong to shells and the bridge", e.Exit)
	}
	if e.Kind != "" && e.Kind != toolkit.Usage && e.Kind != toolkit.Runtime {
		at.report("the kind %s is not valid: usage and runtime are", quotedWord(string(e.Kind)))
	}
	at.text("summary", e.Summary, maxSummary)
	if e.Payload != nil {
		at.schema("payload", e.Payload)
	}
}
