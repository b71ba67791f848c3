package validate

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// format is a format of JSON Schema that is asserted.
type format struct {
	words string // what is expected, with an example
	holds func(text string) bool
}

// formats are the formats that are asserted, by their names in JSON Schema. A
// format says what text stands for and leaves it as it is.
var formats = map[string]format{
	"date":      {"date like 2026-01-31", isDate},
	"date-time": {"date-time like 2026-01-31T09:30:00Z", isDateTime},
	"time":      {"time like 09:30:00Z", isTime},
	"duration":  {"duration like P1DT12H", duration.MatchString},
	"email":     {"email address", isEmail},
	"ipv4":      {"IPv4 address", isIPv4},
	"ipv6":      {"IPv6 address", isIPv6},
	"uri":       {"URI like https://example.org/", isURI},
	"uuid":      {"UUID", uuid.MatchString},
}

// keepFormats has the library keep the names of formats, and assert nothing: that is
// up to the subschemas.
func keepFormats(c *jsonschema.Compiler) {
	for name := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
}

var (
	// clock is full-time of RFC 3339 §5.6. Its groups are hour, minute, second,
	// and hour and minute of the offset.
	clock = regexp.MustCompile(`^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[zZ]|([+-](?:[01]\d|2[0-3])):([0-5]\d))$`)
	// duration is that of RFC 3339 appendix A: a unit is followed by the next
	// smaller one.
	duration = regexp.MustCompile(`^P(?:\d+W|(?:\d+D|\d+M(?:\d+D)?|\d+Y(?:\d+M(?:\d+D)?)?)(?:T(?:` + clockUnits + `))?|T(?:` + clockUnits + `))$`)
	uuid     = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	// local is the part of an address before the at sign: dot-atom or quoted text
	// of RFC 5321 §4.1.2.
	local = regexp.MustCompile("^(?:[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*|\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\")$")
	host  = regexp.MustCompile(`^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)
	// uriText are the characters of a URI (RFC 3986 §2), percent signs with what
	// they stand before.
	uriText = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:(?:[a-zA-Z0-9:/?#\[\]@!$&'()*+,;=._~-]|%[0-9a-fA-F]{2})*$`)
)

const clockUnits = `\d+S|\d+M(?:\d+S)?|\d+H(?:\d+M(?:\d+S)?)?`

// isDate is full-date of RFC 3339 §5.6.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isTime accepts a leap second where there may be one: before midnight UTC.
func isTime(text string) bool {
	parts := clock.FindStringSubmatch(text)
	if len(parts) == 0 || parts[3] != "60" {
		return len(parts) > 0
	}
	minutes := number(parts[1])*60 + number(parts[2])
	offset := number(strings.TrimLeft(parts[4], "+-"))*60 + number(parts[5])
	if strings.HasPrefix(parts[4], "-") {
		offset = -offset
	}
	const day = 24 * 60
	return (minutes-offset+2*day)%day == day-1
}

// number is that of one or two digits, 0 for none.
func number(digits string) int {
	n := 0
	for _, digit := range digits {
		n = n*10 + int(digit-'0')
	}
	return n
}

func isDateTime(text string) bool {
	const date = len(time.DateOnly)
	return len(text) > date && isDate(text[:date]) && (text[date] == 'T' || text[date] == 't') && isTime(text[date+1:])
}

// isEmail is Mailbox of RFC 5321 §4.1.2 within the lengths of §4.5.3.1.
func isEmail(text string) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 1 || at > 64 || len(text) > 254 || !local.MatchString(text[:at]) {
		return false
	}
	domain := text[at+1:]
	if literal, ok := strings.CutPrefix(domain, "["); ok && strings.HasSuffix(literal, "]") {
		literal = strings.TrimSuffix(literal, "]")
		if v6, ok := strings.CutPrefix(literal, "IPv6:"); ok {
			return isIPv6(v6)
		}
		return isIPv4(literal)
	}
	return host.MatchString(domain)
}

func isIPv4(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is4()
}

func isIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6() && address.Zone() == ""
}

// isURI is an absolute URI of RFC 3986, which relative references are not.
func isURI(text string) bool {
	if !uriText.MatchString(text) {
		return false
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return false
	}
	name := parsed.Hostname()
	return !strings.Contains(name, ":") || isIPv6(name)
}
