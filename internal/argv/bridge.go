package argv

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// bridgeOption is an option of the bridge, which every command has beside its own.
type bridgeOption struct {
	name     string
	value    string // what stands for its value in help
	expected string // what its value is; "" when it takes none
	env      string // variable with its default
}

// bridgeOptions are all of them. A parameter of the same name wins; the form
// --agentos:NAME is always the bridge's.
var bridgeOptions = [...]bridgeOption{
	{name: "help"},
	{name: "version"},
	{name: "json", value: "JSON", expected: "an object in JSON, - for stdin, or @PATH for a file"},
	{name: "json-file", value: "PATH", expected: "the path of a file"},
	{name: "output", value: "envelope|result|text", expected: "one of envelope, result, text", env: "AGENTOS_OUTPUT"},
	{name: "timeout", value: "DURATION", expected: "a duration above zero such as 5s or 1h30m, or a number of seconds", env: "AGENTOS_TIMEOUT"},
	{name: "field", value: "/POINTER", expected: "a JSON pointer such as /items/0/name"},
	{name: "result-file", value: "PATH", expected: "the path of a file"},
	{name: "inline-limit", value: "BYTES", expected: "a number of bytes", env: "AGENTOS_INLINE_LIMIT"},
	{name: "call-id", value: "ID", expected: "1 to 64 letters, digits, dots, underscores or dashes"},
	{name: "dry-run"},
}

// isBridgeOption reports whether the bridge has an option of that name.
func isBridgeOption(name string) bool {
	return slices.ContainsFunc(bridgeOptions[:], func(o bridgeOption) bool { return o.name == name })
}

// bridgeOption reads --NAME or --agentos:NAME as one of the bridge's options, and
// reports whether it is one.
func (p *parser) bridgeOption(name, text string, attached bool) bool {
	bare := strings.TrimPrefix(name, "agentos:")
	i := slices.IndexFunc(bridgeOptions[:], func(o bridgeOption) bool { return o.name == bare })
	if i < 0 {
		return false
	}
	o, label := &bridgeOptions[i], "--"+name
	switch {
	case o.expected == "" && attached:
		p.report("", label, &fault{got: shortened(text), expected: "no value", clause: "takes no value", usage: true})
		p.keep(o, "")
		return true
	case o.expected != "" && !attached:
		var ok bool
		if text, ok = p.value(target{}, label); !ok {
			return true
		}
	}
	p.bridge(o, label, text)
	return true
}

// bridge sets the option. A second, different value is a problem; of the two JSON
// sources there is at most one.
func (p *parser) bridge(o *bridgeOption, label, text string) {
	before, given := p.bridged[o.name]
	if given && before != text {
		f := wrongWord(text, "one value")
		f.clause = "given twice, as " + quotedWord(before) + " and " + quotedWord(text)
		if o.name == "json" {
			f.got, f.clause = "", "given twice"
		}
		p.report("", label, f)
		return
	}
	switch o.name {
	case "help":
		p.askHelp()
	case "version":
		p.inv.Version = true
	case "json", "json-file":
		p.jsonOption(o.name, label, text)
	default:
		if !p.inv.Options.set(o.name, text) {
			p.report("", label, wrongWord(text, o.expected))
			return
		}
	}
	p.keep(o, text)
}

// keep notes what the line gives the option, also for the hint.
func (p *parser) keep(o *bridgeOption, text string) {
	if p.bridged == nil {
		p.bridged = map[string]string{}
	}
	p.bridged[o.name] = text
}

// set reads the option's value, and reports whether it is one.
func (o *Options) set(name, text string) (ok bool) {
	switch name {
	case "output":
		o.Output, ok = outputOf(text, o.Output)
	case "timeout":
		o.Timeout, ok = parseTimeout(text)
	case "field":
		o.Field, o.HasField, ok = text, true, isPointer(text)
	case "result-file":
		o.ResultFile, ok = text, text != ""
	case "inline-limit":
		limit, err := strconv.ParseInt(text, 10, 64)
		if ok = err == nil && isDigits(text); ok {
			o.InlineLimit = limit
		}
	case "call-id":
		if ok = isCallID(text); ok {
			o.CallID = text
		}
	case "dry-run":
		o.DryRun, ok = true, true
	}
	return ok
}

func outputOf(text, otherwise string) (string, bool) {
	for _, output := range []string{"envelope", "result", "text"} {
		if strings.EqualFold(output, text) {
			return output, true
		}
	}
	return otherwise, false
}

// parseTimeout reads a duration as Go writes it; a bare number is seconds. There
// is no spelling for "no limit".
func parseTimeout(text string) (time.Duration, bool) {
	if isDigits(strings.Replace(text, ".", "", 1)) {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, false
	}
	return d, true
}

// isPointer reports whether the text is a JSON pointer (RFC 6901 §3).
func isPointer(text string) bool {
	if text != "" && text[0] != '/' || invalidAt(text) >= 0 {
		return false
	}
	return !strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(text), "~")
}

// isCallID reports whether the text matches [A-Za-z0-9._-]{1,64}.
func isCallID(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !isLetter && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return text != "" && len(text) <= 64
}

// bridgeVariables sets the options that the line does not from their variables.
func (p *parser) bridgeVariables() {
	for i := range bridgeOptions {
		o := &bridgeOptions[i]
		text := p.variable(o.env)
		if _, given := p.bridged[o.name]; given || text == "" {
			continue
		}
		if !p.inv.Options.set(o.name, text) {
			f := wrongWord(text, o.expected)
			f.advice = "unset " + o.env + ", or set it to " + o.expected
			p.report("", "variable "+o.env, f)
		}
	}
}

// variable is the variable's value, "" when it is unset or empty or has no name.
func (p *parser) variable(name string) string {
	if name == "" || p.line.Env == nil {
		return ""
	}
	text, _ := p.line.Env(name)
	return text
}
