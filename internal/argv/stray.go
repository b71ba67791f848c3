package argv

import "strings"

// unexpected reports a word that has no place.
func (p *parser) unexpected(word string) {
	switch {
	case p.scope.body() == nil: // expectCommand says it
		p.helpMeant = p.helpMeant || isHelpWord(word)
	case isHelpWord(word):
		p.helpMeant = true
		p.stray(word, ", for help write "+p.scope.bridgeName("help"))
	case strings.HasPrefix(strings.TrimLeft(word, " \t\r\n"), "{"):
		p.strayJSON()
	case p.isCount(word):
		p.countApart(word)
	case !p.assignment(word):
		p.strays = append(p.strays, word)
		p.stray(word, "")
	}
}

// stray is the problem of the word, with what else is known of it.
func (p *parser) stray(word, note string) {
	f := &fault{got: shortened(word), expected: "no further argument", usage: true}
	f.clause = "unexpected argument " + quotedWord(word)
	key := ""
	switch t := p.scope.body().Tail; {
	case t != nil && !p.inTail:
		f.expected = quotedWord(t.Separator) + " before " + t.Name
		f.clause += ", expected " + f.expected
	case note != "":
		f.clause += note
	case p.flagged != nil && p.flaggedEnd == p.next-1 && !p.flagged.flag.Count:
		key, f.expected = p.flagged.wire, "true or false"
		f.clause += " after --" + p.flagged.cli + ", which takes true or false alone"
	}
	p.report(key, "", f)
}

// isCount reports whether the word is a number right after a flag that counts.
func (p *parser) isCount(word string) bool {
	return p.flagged != nil && p.flaggedEnd == p.next-1 && p.flagged.flag.Count && isDigits(word)
}

// maxRepeated is how often an error writes a short flag in a row.
const maxRepeated = 3

// countApart reports a count that does not stand in one word with its flag.
func (p *parser) countApart(word string) {
	param := p.flagged
	way := "--" + param.cli + "=" + shortened(word)
	f := &fault{got: shortened(word), expected: way, usage: true}
	if n := clamped(word); param.short != "" && n > 0 && n <= maxRepeated {
		way = "-" + strings.Repeat(param.short, int(n)) + " or " + way
	}
	f.clause = "unexpected argument " + quotedWord(word) + " after --" + param.cli + ", which counts: write " + way
	p.report(param.wire, "", f)
	p.guess(target{param: param}, word)
}

// strayJSON reports a word that is an input in JSON, which is not repeated: it may
// hold a secret. Nothing is known to be missing then.
func (p *parser) strayJSON() {
	name := p.scope.bridgeName("json")
	f := &fault{expected: "an input in JSON behind " + name, usage: true}
	f.clause = "unexpected argument in JSON, an input in JSON goes to " + name
	p.report("", "", f)
	p.jsonLost = true
	if p.json.label != "" || p.jsonAt > 0 || p.optionsOff {
		p.unsure = true
		return
	}
	p.jsonAt = p.next
}

// assignment reports a word of the form NAME=VALUE, if that is an option without
// its dashes.
func (p *parser) assignment(word string) bool {
	name, text, found := strings.Cut(word, "=")
	if !found {
		return false
	}
	t, ok := p.scope.long(name)
	if !ok {
		t.param, _ = p.meant(name, p.nearOptions(name))
	}
	switch {
	case t.param == nil || t.negated || t.file:
		return false
	case t.param.secret:
		p.anyGiven = true
		p.report(t.param.wire, name+"=…", exposedSecret(p.scope.refs(), t.param))
		return true
	}
	option := "--" + strings.Join(append([]string{t.param.cli}, t.path...), ".")
	p.stray(word, ", an option is written "+option+" VALUE")
	p.guess(t, text)
	return true
}

// isDashed reports whether the word, which begins with a dash, is rather a value
// than a chain of shorts: it has other characters than these can have.
func isDashed(word string) bool {
	names, _, _ := strings.Cut(word[1:], "=")
	return len(names) > 1 && !madeOf(names, "")
}

// dashed reports a value for a place that is taken for an option.
func (p *parser) dashed(word string) {
	param := p.openPlace()
	f := &fault{got: shortened(word), expected: "-- before it", usage: true}
	f.clause = "unknown option; if it is the value of " + param.wire + ", write -- before it"
	p.report("", quotedWord(word), f)
	if param.secret {
		p.unsure = true
		return
	}
	p.guess(target{param: param}, word)
}
