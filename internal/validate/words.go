package validate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// inWords says what a broken rule expects, to stand after "must be", and what
// it got. Parent is the struct of cross-field rules.
func inWords(b *broken, parent reflect.Type) (expected, got string) {
	s := subject{value: reflect.ValueOf(b.value), parent: parent}
	var alternatives []string
	for rule := range strings.SplitSeq(b.rule, "|") {
		name, param, found := strings.Cut(rule, "=")
		if !found {
			param = b.param
		}
		alternatives = append(alternatives, s.expected(name, param))
	}
	return strings.Join(alternatives, " or "), s.got(b.rule)
}

// subject is the value that a rule was applied to.
type subject struct {
	value  reflect.Value
	parent reflect.Type
}

func (s subject) expected(name, param string) string {
	if slices.Contains(crossField, name) {
		return s.relation(name) + " " + wireName(s.parent, param)
	}
	if words, ok := s.comparison(name, param); ok {
		return words
	}
	if words, ok := s.choice(name, param); ok {
		return words
	}
	if words, ok := kinds[name]; ok {
		return words
	}
	if words, ok := patterns[name]; ok {
		return fmt.Sprintf(words, quote(param))
	}
	if param != "" {
		name += "=" + param
	}
	return "a value that fits the rule " + quote(name)
}

// comparison is for rules of size: of a number its value, of a text or list its length.
func (s subject) comparison(name, param string) (words string, ok bool) {
	sizes := sizes
	if s.isTime() {
		if words, ok := moments[name]; ok && param == "" {
			return words, true
		}
		sizes = times
	}
	words, ok = sizes[name]
	return words + " " + s.amount(param), ok
}

// relation is for rules that compare with another field.
func (s subject) relation(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "field"), "cs")
	switch {
	case relations[name] != "":
		return relations[name]
	case s.isTime():
		return times[name]
	}
	return sizes[name]
}

// choice is for rules that name the values.
func (s subject) choice(name, param string) (words string, ok bool) {
	exact := param
	switch {
	case s.unit() == "character":
		exact = quote(param)
	case s.unit() != "":
		exact = s.amount(param)
	}
	switch name {
	case "eq":
		return exact, true
	case "ne":
		return "anything but " + exact, true
	case "oneof":
		return "one of " + list(param), true
	case "oneofci":
		return "one of " + list(param) + " in any case", true
	case "noneof", "noneofci":
		return "none of " + list(param), true
	case "unique":
		if param != "" && s.unit() == "item" {
			return "a list whose items differ in " + wireName(s.value.Type().Elem(), param), true
		}
		return "a list without duplicates", true
	}
	return "", false
}

// list is the parameter of a choice, with commas between the values.
func list(param string) string {
	values := parameter.FindAllString(param, -1)
	for i, value := range values {
		if strings.ContainsAny(value, "' ,") {
			values[i] = quote(strings.ReplaceAll(value, "'", ""))
		}
	}
	return strings.Join(values, ", ")
}

// wireName is the name in JSON of a Go field of the struct, or the Go name when
// there is none.
func wireName(t reflect.Type, goPath string) string {
	if path, ok := wirePath(t, goPath); ok {
		return strings.Join(path, ".")
	}
	return goPath
}

func (s subject) isTime() bool {
	return s.value.IsValid() && s.value.Type().ConvertibleTo(timeType)
}

// unit is what the length of the value is counted in, "" for values without one.
func (s subject) unit() string {
	if s.value.IsValid() && s.value.Type() == numberType {
		return ""
	}
	switch s.value.Kind() {
	case reflect.String:
		return "character"
	case reflect.Map, reflect.Array:
		return "item"
	case reflect.Slice:
		if s.value.Type().Elem().Kind() == reflect.Uint8 {
			return "byte"
		}
		return "item"
	}
	return ""
}

// amount is the number with the value's unit.
func (s subject) amount(number string) string {
	unit := s.unit()
	switch {
	case unit == "":
		return number
	case number == "1":
		return "1 " + unit
	}
	return number + " " + unit + "s"
}

// got is the value, or its length where the rule is about that.
func (s subject) got(rule string) string {
	_, isSize := sizes[rule]
	switch unit := s.unit(); {
	case unit == "character" && isSize:
		return s.amount(fmt.Sprint(utf8.RuneCountInString(s.value.String())))
	case unit == "character":
		return quote(s.value.String())
	case unit != "" && rule != "unique":
		return s.amount(fmt.Sprint(s.value.Len()))
	case unit != "":
		return ""
	case !s.value.IsValid() || isNil(s.value):
		return "null"
	}
	text, err := json.Marshal(s.value.Interface())
	if err != nil {
		return ""
	}
	return shorten(string(text))
}

// maxShown is how many characters of a value an error shows.
const maxShown = 64

func quote(text string) string {
	return string(strictjson.Text(shorten(text)).Append(nil))
}

func shorten(text string) string {
	if short := fmt.Sprintf("%.*s", maxShown, text); len(short) < len(text) {
		return short + "…"
	}
	return text
}

// The words for validator's rules, each to stand after "must be".
var (
	// sizes come before a number or, in relations, the name of a field.
	sizes = map[string]string{
		"min": "at least", "gte": "at least", "max": "at most", "lte": "at most",
		"gt": "more than", "lt": "less than", "len": "exactly",
	}
	// times are the sizes of times.
	times = map[string]string{
		"gt": "later than", "gte": "not earlier than", "lt": "earlier than", "lte": "not later than",
	}
	// moments compare a time with the present.
	moments = map[string]string{
		"gt": "in the future", "gte": "not in the past", "lt": "in the past", "lte": "not in the future",
	}
	// relations come before the name of another field.
	relations = map[string]string{
		"eq": "the same as", "ne": "different from",
		"fieldcontains": "text that contains the value of", "fieldexcludes": "text without the value of",
	}

	// patterns take the rule's parameter.
	patterns = map[string]string{
		"startswith":    "text that starts with %s",
		"startsnotwith": "text that does not start with %s",
		"endswith":      "text that ends with %s",
		"endsnotwith":   "text that does not end with %s",
		"contains":      "text that contains %s",
		"containsany":   "text that contains one of the characters %s",
		"containsrune":  "text that contains %s",
		"excludes":      "text without %s",
		"excludesall":   "text without any of the characters %s",
		"excludesrune":  "text without %s",
		"datetime":      "a time written like %s",
	}

	// kinds are rules without a parameter.
	kinds = map[string]string{
		"alpha":            "letters only (a-z, A-Z)",
		"alphanum":         "letters and digits only (a-z, A-Z, 0-9)",
		"alphanumunicode":  "letters and digits only",
		"alphaspace":       "letters and spaces only (a-z, A-Z)",
		"alphaunicode":     "letters only",
		"ascii":            "ASCII characters only",
		"base64":           "base64 text",
		"base64url":        "base64 text for URLs",
		"boolean":          "true or false",
		"cidr":             "an IP network like 10.0.0.0/8",
		"cidrv4":           "an IPv4 network like 10.0.0.0/8",
		"cidrv6":           "an IPv6 network like fd00::/8",
		"cron":             "a cron expression",
		"duration":         "a duration like 1h30m",
		"e164":             "a phone number like +14155552671",
		"email":            "an email address",
		"fqdn":             "a full domain name",
		"hexadecimal":      "hexadecimal digits only",
		"hexcolor":         "a colour like #ff8800",
		"hostname":         "a host name",
		"hostname_port":    "a host name and port like example.org:443",
		"hostname_rfc1123": "a host name",
		"http_url":         "an http or https URL",
		"https_url":        "an https URL",
		"ip":               "an IP address",
		"ipv4":             "an IPv4 address",
		"ipv6":             "an IPv6 address",
		"iscolor":          "a colour",
		"isdefault":        "absent, or the default",
		"json":             "JSON text",
		"jwt":              "a JSON Web Token",
		"latitude":         "a latitude",
		"longitude":        "a longitude",
		"lowercase":        "lower case only",
		"mac":              "a MAC address",
		"number":           "digits only",
		"numeric":          "a number",
		"port":             "a port (1-65535)",
		"printascii":       "printable ASCII characters only",
		"semver":           "a semantic version like 1.2.3",
		"timezone":         "a time zone like Europe/Paris",
		"ulid":             "a ULID",
		"uppercase":        "upper case only",
		"uri":              "a URI",
		"url":              "a URL",
		"uuid":             "a UUID",
		"uuid3":            "a UUID of version 3",
		"uuid4":            "a UUID of version 4",
		"uuid5":            "a UUID of version 5",
		"uuid7":            "a UUID of version 7",
		"uuid_rfc4122":     "a UUID",
	}
)
