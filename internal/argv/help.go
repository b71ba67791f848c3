package argv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Help is the page of the command at the path: what it does, how it is called,
// every parameter, what comes back, examples. For a command with others below it
// lists these. The bytes depend on nothing but the arguments: no width, no
// locale, no order in which commands were declared. Texts of the definition are
// data of whoever wrote it: each stands in one line, without hidden characters.
// A path that names no command has no help.
func Help(program string, def *toolkit.Definition, path []string) string {
	s := scopeAt(def, path)
	if s == nil {
		return ""
	}
	p := &page{scope: s, program: program}
	return p.text()
}

// page is a help page being written.
type page struct {
	*scope
	program string
}

// text joins the blocks of the page with blank lines.
func (p *page) text() string {
	blocks := []string{p.title(), p.description(), p.usage(p.program)}
	blocks = append(blocks, p.parameters()...)
	blocks = append(blocks, section("Constraints:", p.rules()), section("Commands:", p.commands()))
	if p.body() != nil {
		blocks = append(blocks, p.facts())
	}
	if len(p.command().Commands) > 0 {
		blocks = append(blocks, p.more())
	}
	blocks = slices.DeleteFunc(blocks, func(block string) bool { return block == "" })
	return strings.Join(blocks, "\n")
}

func (p *page) title() string {
	if summary := inline(p.command().Summary); summary != "" {
		return summary + "\n"
	}
	return inline(p.command().Name) + "\n"
}

func (p *page) description() string {
	text := inline(p.command().Description)
	if text == "" || text == inline(p.command().Summary) {
		return ""
	}
	return text + "\n"
}

// fewParameters is up to how many of them each has its whole description.
const fewParameters = 8

// maxText is the length in characters of a parameter's whole description.
const maxText = 500

// row is a line of two columns.
type row struct{ left, right string }

// parameters are the sections of the arguments, options and global options.
func (p *page) parameters() []string {
	var places, options, globals []row
	for _, param := range p.shown() {
		line := p.parameter(param)
		switch {
		case param.global:
			globals = append(globals, line)
		case param.kind == positional || param.kind == tail:
			places = append(places, line)
		default:
			options = append(options, line)
		}
	}
	return []string{
		section("Arguments:", table(2, places)),
		section("Options:", table(2, options)),
		section("Global options:", table(2, globals)),
	}
}

// parameter is the line of a parameter.
func (s *scope) parameter(p *param) row {
	left := s.syntax(p)
	switch no := s.negation(p); {
	case no != "":
		left = p.dashed() + ", --" + inline(no)
	case p.secret && !s.isFile(p):
		left = s.label(p)
	}
	if p.short != "" && !p.secret {
		left = "-" + inline(p.short) + ", " + left
	}
	help := s.describe(p)
	if notes := s.notes(p); len(notes) > 0 {
		help = spaced(strings.TrimSuffix(help, "."), "("+strings.Join(notes, ", ")+")")
	}
	return row{left, help}
}

// describe is the parameter's description: whole where there are few, else its
// first sentence.
func (s *scope) describe(p *param) string {
	if len(s.params) <= fewParameters {
		return clip(inline(p.text()), maxText)
	}
	return firstSentence(p.text())
}

// text is the parameter's own description, or else its schema's.
func (p *param) text() string {
	if p.help == "" && p.schema != nil {
		return p.schema.Description
	}
	return p.help
}

// maxLeft is the width in characters up to which a left column moves the right one.
const maxLeft = 36

// table writes rows, the right column four spaces after the longest left.
func table(indent int, rows []row) string {
	width := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.left); n > width && n <= maxLeft {
			width = n
		}
	}
	var b strings.Builder
	for _, r := range rows {
		gap := max(width-utf8.RuneCountInString(r.left), 0) + 4
		if r.right == "" {
			gap = 0
		}
		b.WriteString(strings.Repeat(" ", indent) + r.left + strings.Repeat(" ", gap) + r.right + "\n")
	}
	return b.String()
}

// section is the text under a heading, and nothing without text.
func section(heading, text string) string {
	if text == "" {
		return ""
	}
	return heading + "\n" + text
}

// rules are the constraints in words, a line each.
func (p *page) rules() string {
	if p.body() == nil {
		return ""
	}
	text := ""
	for i := range p.body().Constraints {
		text += "  " + inline(ruleText(p.scope, &p.body().Constraints[i], p.label)) + "\n"
	}
	return text
}

// commands are the lines of the commands below.
func (p *page) commands() string {
	var rows []row
	for _, child := range sortedCommands(p.command()) {
		left := inline(child.Name)
		if len(child.Commands) > 0 {
			left += " ..."
		}
		right := inline(child.Summary)
		if len(child.Aliases) > 0 {
			right = spaced(right, "(alias "+inline(strings.Join(child.Aliases, ", "))+")")
		}
		rows = append(rows, row{left, right})
	}
	return table(2, rows)
}

// sortedCommands are the commands below, by name.
func sortedCommands(cmd *toolkit.Command) []*toolkit.Command {
	sorted := make([]*toolkit.Command, len(cmd.Commands))
	for i := range cmd.Commands {
		sorted[i] = &cmd.Commands[i]
	}
	slices.SortStableFunc(sorted, func(a, b *toolkit.Command) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// more says where to read on.
func (p *page) more() string {
	line := spaced(p.program, p.shownPath()) + " <command> --help shows a command's parameters and examples.\n"
	if p.isOwn() {
		return line + "\n" + section("Options of every tool:", bridgeTable())
	}
	return line +
		"Every command also takes --output envelope|result|text, --timeout 30s, --field /POINTER, --result-file PATH,\n" +
		"--inline-limit BYTES, --call-id ID and --dry-run; input may be JSON by --json or --json-file PATH.\n"
}

// facts are the lines about what goes in and comes out.
func (p *page) facts() string {
	body := p.body()
	text := slotLine("Stdin", body.Stdin) + slotLine("Stdout", body.Stdout) + slotLine("Stderr", body.Stderr)
	if body.Result != nil {
		text += "Result: " + shapeOf(alone(body.Result), body.Result) + "\n"
	}
	return text + errorLines(body.Errors) + p.examples() + p.flagLine() + p.inputLine() + p.largeLine() +
		p.marksLine() + p.bridgeLine() + p.schemaLine()
}

// marksLine are the promises that the tool makes, as far as they are declared.
func (p *page) marksLine() string {
	a := p.body().Annotations
	var marks []string
	for _, mark := range []struct {
		text     string
		declared bool
	}{
		{"read-only", a.ReadOnly},
		{"destructive", a.Destructive != nil && *a.Destructive},
		{"idempotent", a.Idempotent},
	} {
		if mark.declared {
			marks = append(marks, mark.text)
		}
	}
	if len(marks) == 0 {
		return ""
	}
	return "Marks: " + strings.Join(marks, ", ") + "\n"
}

// schemaLine says what tells all of the schemas, where the page leaves some out.
func (p *page) schemaLine() string {
	if p.isOwn() || !p.hidesSchemas() {
		return ""
	}
	return "Full schema: " + spaced("agentos describe", inline(p.toolkit()), p.shownPath()) + "\n"
}

func slotLine(name string, slot *toolkit.Slot) string {
	if slot == nil {
		return ""
	}
	types := inline(strings.Join(slot.MIME, ", "))
	if types == "" {
		types = "any bytes"
	}
	if slot.Required {
		types += " (required)"
	}
	return name + ": " + types + "\n"
}

func errorLines(errors []toolkit.ErrorCase) string {
	label, text := "Errors: ", ""
	for _, e := range errors {
		line := fmt.Sprintf("%s (exit %d)", inline(e.Name), max(e.Exit, 1))
		line = spaced(line, inline(e.Summary))
		if e.Payload != nil {
			line += ", details " + shapeOf(alone(e.Payload), e.Payload)
		}
		text += label + line + "\n"
		label = strings.Repeat(" ", len(label))
	}
	return text
}

// maxExamples is how many examples the page has.
const maxExamples = 4

// exampleCases are the declared examples, or else the one that the host made up.
func (p *page) exampleCases() []toolkit.ExampleCase {
	examples := p.command().Examples
	if sample := p.body().Sample; len(examples) == 0 && len(sample) > 0 {
		return []toolkit.ExampleCase{{Input: sample}}
	}
	return examples
}

// examples are the declared examples as command lines, or one with placeholders
// where none is declared.
func (p *page) examples() string {
	text := ""
	examples := p.exampleCases()
	for _, example := range examples[:min(len(examples), maxExamples)] {
		line, err := p.commandLine(p.program, p.withSecrets(example.Input))
		if err != nil || !isVisible(line) {
			// Only in a definition that was not vetted.
			continue
		}
		if summary := inline(example.Summary); summary != "" {
			text += "  # " + summary + "\n"
		}
		text += "  " + line + "\n"
	}
	return section("Examples:", text)
}

// flagLine says what a word after a flag means.
func (p *page) flagLine() string {
	for _, param := range p.shown() {
		if no := p.negation(param); no != "" {
			return fmt.Sprintf("A flag may have the word true or false after it: %s false is --%s.\n", param.dashed(), inline(no))
		}
	}
	return ""
}

// inputLine says how the input is given as JSON. Standard input is read without
// being asked for only where something required can be missing from the line.
func (p *page) inputLine() string {
	further := p.furtherLine()
	if len(p.params) == 0 && further == "" {
		return ""
	}
	json, ends := p.bridgeName("json"), ", or piped"
	switch {
	case p.body().Stdin != nil:
		ends = "; stdin is the tool's own stream"
	case !p.isPiped():
		ends += " with " + json + " -"
	}
	return "Input may also be JSON: " + json + " " + Quote(p.sampleJSON()) + ", " + p.bridgeName("json-file") + " PATH" + ends + ".\n" + further
}

// furtherLine says which keys the input may have that are no parameters.
func (p *page) furtherLine() string {
	further, texts := p.further(), []string(nil)
	add := func(name string, schema *toolkit.Schema, notes ...string) {
		shape := shapeOf(p.refs(), schema)
		if shape == "any" {
			shape = "any JSON value"
		}
		notes = append([]string{shape}, notes...)
		texts = append(texts, name+" ("+strings.Join(notes, ", ")+")")
	}
	for _, name := range p.furtherNames() {
		if slices.Contains(further.Required, name) {
			add(memberName(name), further.Properties[name], "required")
		} else {
			add(memberName(name), further.Properties[name])
		}
	}
	var patterns map[string]*toolkit.Schema
	_ = json.Unmarshal(further.Extra[patternProperties], &patterns) // what cannot be read is the validator's to refuse
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		add("names matching "+escaped(pattern), patterns[pattern])
	}
	switch {
	case isOpen(further) && len(texts) > 0:
		add("any other name", further.AdditionalProperties)
	case isOpen(further):
		add("any name", further.AdditionalProperties)
	}
	if len(texts) == 0 {
		return ""
	}
	return "JSON may have further keys: " + capped(texts, maxFields) + ".\n"
}

// isPiped reports whether JSON from a pipe is read without being asked for.
func (p *page) isPiped() bool { return slices.ContainsFunc(p.params, (*param).demanded) }

// largeLine are the ways to give what does not fit on a line, of which a kernel
// takes little more (Linux: 128 KiB a word), where the tool takes so much.
func (p *page) largeLine() string {
	params := p.shown()
	if !slices.ContainsFunc(params, p.isLarge) {
		return ""
	}
	ways := []string{p.bridgeName("json-file") + " PATH"}
	if i := slices.IndexFunc(params, p.holdsText); i >= 0 {
		ways = append(ways, params[i].dashed()+"-file PATH")
	}
	switch {
	case p.body().Stdin != nil:
	case p.isPiped():
		ways = append(ways, "a pipe")
	default:
		ways = append(ways, p.bridgeName("json")+" -")
	}
	return "Over 100 kB: " + enumeration(ways, "or") + ".\n"
}

// maxLine is the length in characters up to which a value surely fits on a line.
const maxLine = 20_000

// isLarge reports whether the parameter's value can be too long for a line.
func (s *scope) isLarge(p *param) bool {
	schema := s.plain(p)
	switch kind := kindOf(schema); {
	case p.kind == flag || len(schema.Enum) > 0 || s.isFile(p):
		return false
	case kind == toolkit.TypeString:
		return schema.Format == "" && len(alternatives(schema)) == 0 && (schema.MaxLength == nil || *schema.MaxLength > maxLine)
	default:
		return !isScalar(kind)
	}
}

// holdsText reports whether the parameter is a string of any length and form that
// can come from a file, and is not itself the name of one.
func (s *scope) holdsText(p *param) bool {
	t, ok := s.derived(p.cli + "-file")
	if !ok || !t.file || p.secret || strings.HasSuffix(p.cli, "file") {
		return false
	}
	schema := s.plain(p)
	isFree := len(schema.Enum) == 0 && len(alternatives(schema)) == 0
	return isFree && schema.MaxLength == nil && schema.Format == "" && schema.Pattern == ""
}

// maxSample is the length in bytes of an input that is shown as JSON: a longer one
// says again what stands in the examples.
const maxSample = 80

// sampleJSON is an input as JSON text: the required part of the first example.
func (p *page) sampleJSON() string {
	for _, example := range p.exampleCases() {
		value, err := strictjson.Parse(example.Input)
		if err != nil || value.Kind != strictjson.Object {
			continue
		}
		if text := p.briefInput(value); len(text) <= maxSample && text != "{}" {
			return text
		}
	}
	return "{…}"
}

// briefInput is the input without what is not required, whole if that is all.
func (p *page) briefInput(input *strictjson.Value) string {
	brief := strictjson.NewObject()
	p.withoutSecrets(input)
	for _, param := range p.params {
		if value := input.Get(param.wire); value != nil && param.demanded() {
			brief.Set(param.wire, value)
		}
	}
	if len(brief.Members) == 0 {
		brief = input
	}
	return string(visibleJSON(brief.Append(nil)))
}
