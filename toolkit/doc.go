/*
Package toolkit defines tools: what they are called, what they take and return,
and the Go code that runs them. It is the one package that an author of tools
imports, and it needs nothing but the standard library.

An ordinary function becomes a tool, and tools become a toolkit:

	type ForecastArgs struct {
		City string `json:"city" help:"City name" validate:"required"`
		Days int    `json:"days" help:"Number of days" validate:"min=1,max=16" default:"3"`
	}

	func forecast(ctx context.Context, in ForecastArgs) (Forecast, error) { … }

	var weather = &toolkit.Toolkit{
		Name: "weather", Summary: "Weather data tools",
		Tools: []toolkit.Tool{
			toolkit.Func(toolkit.Spec{Name: "forecast", Summary: "Get the weather forecast for a city"}, forecast),
		},
	}

In a guest that is the command

	agentos-weather forecast --city Paris --days 5

The main types are [Toolkit] and [Group], which hold tools; [Tool], made by
[Func] or [NewTool]; [Definition], a toolkit as pure data, from which command
lines, help, schemas and prompt text are made; and [Error], the one error that a
guest sees. Nothing here panics on a mistake in a definition: mistakes are
collected and returned by [Toolkit.Definition], all at once.

# Fields

The type of an input field decides what it is on the command line:

	bool                      flag, with a --no- form
	int…, uint…               integer option, with the type's range up to 32 bits and for unsigned
	float32, float64          number option; json.Number keeps the literal text
	string                    option
	[]byte                    option, base64 text in JSON
	time.Time                 option, RFC 3339; a leap second is the second after it
	encoding.TextUnmarshaler  option, text
	json.RawMessage, any      option, any JSON; so are other types that unmarshal themselves
	                          (a number in an any is a json.Number, see below)
	time.Duration             integer option, nanoseconds as encoding/json has it
	[]T, [N]T                 list option, one element an occurrence
	map[string]T              map option, KEY=VALUE
	struct                    object option, JSON or dotted (--o.a 1)
	io.Reader                 no option: stdin as a stream of bytes
	io.Writer                 no option: stdout or stderr, as its tag says
	File                      option, the path of a file of the guest, whose contents the handler reads
	OutFile                   option, the path of a file of the guest that the handler writes
	*T                        as T, and absent (nil) differs from zero
	embedded struct           its fields, by the rules of encoding/json

A struct may refer to itself. A field is required only if it is
validate:"required"; a pointer, omitempty or a default never makes it so. A
struct with jsonschema tags and no validate tags was written for the MCP Go SDK
and follows its rule: required unless omitempty or omitzero. In either case a
default makes a field optional. Required means present: 0, false and "" are
values (add min=1 to refuse an empty text).

Numbers keep every digit. What is in an any, also in a map[string]any or []any, is
what encoding/json makes of it, but that a number is a [json.Number], which has its
text: 9007199254740993 and 1.10 are no float64. The same holds for an any in the
result of a typed call. A type that unmarshals itself decides that for itself.

A typed call ([FuncTool.Call]) sends a plain field that has a default as it is,
an explicit 0 or "" included. To leave it to the default, make the field a
pointer, or omitzero.

# Tags

	json:"name"                  key in JSON; omitempty and omitzero also steer [FuncTool.Call]
	help:"text"                  description; jsonschema:"text" is read in its absence
	validate:"rules"             see below
	default:"text"               value when absent: text for strings, else JSON ([1,2], {"a":1})
	env:"NAME"                   environment variable to fall back on
	short:"c"                    one-character form
	alias:"a,b"                  more names
	value:"NAME"                 what help calls the value
	secret:"true"                value is never shown
	stdin:"text/csv", stdout:"", stderr:""
	                             which stream an io.Reader or io.Writer is, and its media types
	nullable:"true"              a pointer may be null in JSON
	sep:","                      one occurrence of a list, split at the character
	sep:",..."                   several occurrences of a list, each split
	duplicate:"last-wins"        a later key of a map replaces an earlier one ("reject", the default, refuses it)
	optional:"value"             --color takes the default, a value only attached: --color=always
	flag:"plain"                 a boolean without a --no- form ("negatable" is the default)
	flag:"count"                 an integer that counts its occurrences: -vvv
	arg:"positional"             given by its place; a list takes the rest of the line
	arg:"positional,separator=--,verbatim"
	                             a list that starts at a word; verbatim takes options too

Of the rules of validate (go-playground/validator) these also go into schema and
help: required, min, max, len, gt, gte, lt, lte (the value of a number, the
length of text, list or map; the maximum of a count; the number of words of a
positional list, where min=1 or required makes it required), oneof, unique,
email, url, http_url, https_url, uuid, ipv4, ipv6, datetime with an RFC 3339
layout, and dive, which goes on with the elements. The host runs all rules.

A tag in a place where it means nothing, an unknown word and a tag that Go
cannot read are mistakes. Within an object option only json, help, jsonschema,
validate and nullable have a meaning.

# Results

A result may be any Go value that encodes as JSON, or [None]. Its schema is
what the type encodes to: fields without omitempty or omitzero are always
there, a pointer among them may be null, a nil list or map is an empty one.
Rules of validate are for inputs only.
*/
package toolkit
