package toolkit

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// place is where a struct field ends up; it decides which tags the field may have.
type place string

const (
	asPositional place = "positional"
	asTail       place = "tail"
	asOption     place = "option"
	asFlag       place = "flag"
	asCount      place = "count flag"
	asProperty   place = "field of an object option"
)

// tagPlaces says where each tag means something. A tag in another place is a
// mistake: ignoring it would promise what the command line does not keep. The
// tags json, help, jsonschema and validate are read everywhere.
var tagPlaces = map[string][]place{
	"arg":       {asPositional, asTail},
	"flag":      {asFlag, asCount},
	"default":   {asPositional, asOption, asFlag, asCount},
	"value":     {asPositional, asOption},
	"secret":    {asPositional, asOption},
	"nullable":  {asPositional, asOption, asFlag, asProperty},
	"short":     {asOption, asFlag, asCount},
	"alias":     {asOption, asFlag, asCount},
	"env":       {asOption, asFlag, asCount},
	"sep":       {asOption},
	"duplicate": {asOption},
	"optional":  {asOption},
}

// parseTag splits a struct tag into its keys and values. It reads what
// reflect.StructTag.Lookup reads, and reports what Lookup would skip in silence.
func parseTag(tag reflect.StructTag) (map[string]string, error) {
	values := map[string]string{}
	for rest := strings.TrimLeft(string(tag), " "); rest != ""; {
		key, after, _ := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(after)
		if err != nil || quoted[0] != '"' || key == "" || strings.ContainsFunc(key, endsKey) {
			return values, fmt.Errorf("malformed tag %q", rest)
		}
		if _, twice := values[key]; twice {
			return values, fmt.Errorf("tag %s stands twice", key)
		}
		if values[key], err = strconv.Unquote(quoted); err != nil {
			return values, fmt.Errorf("malformed tag %q", rest)
		}
		rest = strings.TrimLeft(after[len(quoted):], " ")
	}
	return values, nil
}

// endsKey reports whether reflect reads a key no further than the character.
func endsKey(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f }

// misplaced reports the tags that mean nothing in the place.
func misplaced(tags map[string]string, at place) error {
	var mistakes []error
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		if places, ours := tagPlaces[tag]; ours && !slices.Contains(places, at) {
			mistakes = append(mistakes, fmt.Errorf("%s: has no meaning for %s", tag, article(string(at))))
		}
	}
	return errors.Join(mistakes...)
}

// word is the value of a tag that takes one of a few words, or "" when the tag
// is absent.
func word(tags map[string]string, tag string, words ...string) (string, error) {
	value, given := tags[tag]
	if !given || slices.Contains(words, value) {
		return value, nil
	}
	return "", fmt.Errorf("%s: unknown word %q, want %s", tag, value, strings.Join(words, " or "))
}

// yes is the value of a tag that takes true or false.
func yes(tags map[string]string, tag string) (bool, error) {
	value, err := word(tags, tag, "true", "false")
	return value == "true", err
}

// placement is the tag arg, as in `arg:"positional,separator=--,verbatim"`.
type placement struct {
	separator string
	verbatim  bool
}

func parsePlacement(text string) (placement, error) {
	var p placement
	words := strings.Split(text, ",")
	if words[0] != "positional" {
		return p, fmt.Errorf("arg: unknown word %q, want positional", words[0])
	}
	for _, option := range words[1:] {
		name, value, assigned := strings.Cut(option, "=")
		switch {
		case name == "separator" && value != "":
			p.separator = value
		case name == "verbatim" && !assigned:
			p.verbatim = true
		default:
			return p, fmt.Errorf("arg: unknown word %q, want separator=WORD or verbatim", option)
		}
	}
	return p, nil
}

// parseSep reads the tag sep: the delimiter alone, or followed by "..." when
// the option may also be repeated.
func parseSep(text string) (delimiter string, repeats bool, err error) {
	_, size := utf8.DecodeRuneInString(text)
	switch text[size:] {
	case "":
	case "...":
		repeats = true
	default:
		size = 0
	}
	if size == 0 {
		return "", false, fmt.Errorf("sep: %q, want one character, or one character and \"...\" to allow repetition", text)
	}
	return text[:size], repeats, nil
}

// parseAliases reads the tag alias: names separated by commas.
func parseAliases(tags map[string]string) ([]string, error) {
	text, given := tags["alias"]
	if !given {
		return nil, nil
	}
	names := strings.Split(text, ",")
	if slices.Contains(names, "") {
		return nil, fmt.Errorf("alias: %q has an empty name", text)
	}
	return names, nil
}

// article is the noun with its indefinite article.
func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
