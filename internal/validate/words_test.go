package validate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// says validates one field of the value's type under the tag, in a struct with
// fields to compare with, and gives the message about it.
func says(t *testing.T, tag, value string, sample any) string {
	t.Helper()
	other := func(name, wire string, of any) reflect.StructField {
		return reflect.StructField{Name: name, Type: reflect.TypeOf(of), Tag: reflect.StructTag(`json:"` + wire + `"`)}
	}
	in := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "V", Type: reflect.TypeOf(sample), Tag: reflect.StructTag(`json:"v" validate:"` + tag + `"`)},
		other("Text", "other_text", ""), other("N", "other_n", 0), other("At", "other_at", time.Time{}),
	}))
	if err := Vet(in.Interface()); err != nil {
		t.Fatalf("Vet(%s): %v", tag, err)
	}
	input := `{"v":` + value + `,"other_text":"abc","other_n":5,"other_at":"2020-02-02T00:00:00Z"}`
	if err := json.Unmarshal([]byte(input), in.Interface()); err != nil {
		t.Fatal(err)
	}
	fault := Struct(in.Interface(), json.RawMessage(input))
	if fault == nil {
		return ""
	}
	return strings.TrimPrefix(fault.Message, "v: ")
}

func TestWords(t *testing.T) {
	var (
		text   = ""
		number = 0
		list   = []string{}
		object = map[string]int{}
		bytes  = []byte{}
		moment = time.Time{}
	)
	tests := []struct {
		tag    string
		sample any
		good   string
		bad    string
		want   string
	}{
		{"min=3", number, "3", "2", "must be at least 3, got 2"},
		{"min=3", text, `"éàü"`, `"éà"`, "must be at least 3 characters, got 2 characters"},
		{"min=2", list, `["a","b"]`, `["a"]`, "must be at least 2 items, got 1 item"},
		{"min=1", object, `{"a":1}`, `{}`, "must be at least 1 item, got 0 items"},
		{"min=2", bytes, `"AAA="`, `"AA=="`, "must be at least 2 bytes, got 1 byte"},
		{"min=0.5", 0.0, "0.5", "0.25", "must be at least 0.5, got 0.25"},
		{"max=3", number, "3", "4", "must be at most 3, got 4"},
		{"max=1", text, `"a"`, `"ab"`, "must be at most 1 character, got 2 characters"},
		{"len=2", text, `"ab"`, `"abc"`, "must be exactly 2 characters, got 3 characters"},
		{"len=2", number, "2", "3", "must be exactly 2, got 3"},
		{"gt=0", number, "1", "0", "must be more than 0, got 0"},
		{"gt", moment, `"2999-01-01T00:00:00Z"`, `"2000-01-01T00:00:00Z"`, `must be in the future, got "2000-01-01T00:00:00Z"`},
		{"gte=1", number, "1", "0", "must be at least 1, got 0"},
		{"lt=2", list, `[]`, `["a","b"]`, "must be less than 2 items, got 2 items"},
		{"lte=1", uint8(0), "1", "2", "must be at most 1, got 2"},
		{"max=1s", time.Second, "1000000000", "1000000001", "must be at most 1s, got 1000000001"},
		{"eq=5", number, "5", "6", "must be 5, got 6"},
		{"eq=yes", text, `"yes"`, `"no"`, `must be "yes", got "no"`},
		{"eq=1", list, `["a"]`, `[]`, "must be 1 item, got 0 items"},
		{"ne=5", number, "6", "5", "must be anything but 5, got 5"},
		{"oneof=red green", text, `"red"`, `"blue"`, `must be one of red, green, got "blue"`},
		{"oneof=1 2", number, "1", "3", "must be one of 1, 2, got 3"},
		{"oneof='light blue' red", text, `"light blue"`, `"blue"`, `must be one of "light blue", red, got "blue"`},
		{"oneofci=red", text, `"RED"`, `"blue"`, `must be one of red in any case, got "blue"`},
		{"noneof=red green", text, `"blue"`, `"red"`, `must be none of red, green, got "red"`},
		{"email", text, `"a@example.org"`, `"a"`, `must be an email address, got "a"`},
		{"url", text, `"https://a.org/x"`, `"a"`, `must be a URL, got "a"`},
		{"uri", text, `"file:///x"`, `"a b"`, `must be a URI, got "a b"`},
		{"uuid", text, `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, `"6"`, `must be a UUID, got "6"`},
		{"uuid4", text, `"57b73598-8764-4ad0-a76a-679bb6640eb1"`, `"6"`, `must be a UUID of version 4, got "6"`},
		{"ip", text, `"::1"`, `"1.2.3"`, `must be an IP address, got "1.2.3"`},
		{"ipv4", text, `"1.2.3.4"`, `"::1"`, `must be an IPv4 address, got "::1"`},
		{"ipv6", text, `"::1"`, `"1.2.3.4"`, `must be an IPv6 address, got "1.2.3.4"`},
		{"cidr", text, `"10.0.0.0/8"`, `"10.0.0.0"`, `must be an IP network like 10.0.0.0/8, got "10.0.0.0"`},
		{"datetime=2006-01-02", text, `"2024-02-29"`, `"2023-02-29"`, `must be a time written like "2006-01-02", got "2023-02-29"`},
		{"alpha", text, `"abc"`, `"ab1"`, `must be letters only (a-z, A-Z), got "ab1"`},
		{"alphanum", text, `"ab1"`, `"a-b"`, `must be letters and digits only (a-z, A-Z, 0-9), got "a-b"`},
		{"hostname", text, `"a.example.org"`, `"a b"`, `must be a host name, got "a b"`},
		{"startswith=ab", text, `"abc"`, `"bc"`, `must be text that starts with "ab", got "bc"`},
		{"endswith=bc", text, `"abc"`, `"ab"`, `must be text that ends with "bc", got "ab"`},
		{"contains=b", text, `"abc"`, `"ac"`, `must be text that contains "b", got "ac"`},
		{"excludes=b", text, `"ac"`, `"abc"`, `must be text without "b", got "abc"`},
		{"unique", list, `["a","b"]`, `["a","a"]`, "must be a list without duplicates"},
		{"unique=A", []leaf{}, `[{"a":1},{"a":2}]`, `[{"a":1},{"a":1}]`, "must be a list whose items differ in a"},
		{"eqfield=Text", text, `"abc"`, `"x"`, `must be the same as other_text, got "x"`},
		{"nefield=N", number, "4", "5", "must be different from other_n, got 5"},
		{"gtfield=N", number, "6", "5", "must be more than other_n, got 5"},
		{"ltecsfield=N", number, "5", "6", "must be at most other_n, got 6"},
		{"gtfield=At", moment, `"2021-01-01T00:00:00Z"`, `"2019-01-01T00:00:00Z"`, `must be later than other_at, got "2019-01-01T00:00:00Z"`},
		{"fieldcontains=Text", text, `"xabc"`, `"ab"`, `must be text that contains the value of other_text, got "ab"`},
		{"hexcolor|alpha", text, `"#fff"`, `"1"`, `must be a colour like #ff8800 or letters only (a-z, A-Z), got "1"`},
		{"len=2|max=1", text, `"ab"`, `"abc"`, `must be exactly 2 characters or at most 1 character, got "abc"`},
		{"iscolor", text, `"rgb(1,2,3)"`, `"x"`, `must be a colour, got "x"`},
		{"contains=0x2C", text, `"a,b"`, `"a"`, `must be text that contains ",", got "a"`},
		{"isbn", text, `"9783161484100"`, `"1"`, `must be a value that fits the rule "isbn", got "1"`},
		{"iso3166_1_alpha2", text, `"FR"`, `"XX"`, `must be a value that fits the rule "iso3166_1_alpha2", got "XX"`},
		{"postcode_iso3166_alpha2=FR", text, `"75001"`, `"x"`, `must be a value that fits the rule "postcode_iso3166_alpha2=FR", got "x"`},
		{"dive,email", list, `[]`, `["a"]`, `v.0: must be an email address, got "a"`},
		{"min=1,max=2", number, "2", "3", "must be at most 2, got 3"},
	}
	for _, test := range tests {
		t.Run(test.tag+" of "+reflect.TypeOf(test.sample).String(), func(t *testing.T) {
			if got := says(t, test.tag, test.bad, test.sample); got != test.want {
				t.Errorf("%s\n got %s\nwant %s", test.bad, got, test.want)
			}
			if got := says(t, test.tag, test.good, test.sample); got != "" {
				t.Errorf("%s\n got %s\nwant it to be fine", test.good, got)
			}
		})
	}
}

// A value is shown in part when it is long, and as JSON writes it.
func TestWords_LongAndOddValues(t *testing.T) {
	long := strings.Repeat("é", 100)
	tests := []struct{ value, want string }{
		{`"` + long + `"`, `must be an email address, got "` + long[:2*maxShown] + `…"`},
		{`"a\n\u001b[31m\"<b>"`, `must be an email address, got "a\n\u001b[31m\"<b>"`},
	}
	for _, test := range tests {
		if got := says(t, "email", test.value, ""); got != test.want {
			t.Errorf("got %s\nwant %s", got, test.want)
		}
	}
}
