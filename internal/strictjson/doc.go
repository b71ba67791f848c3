// Package strictjson is the one reader of JSON that comes from outside: command
// lines, frames, files, results of other programs.
//
// encoding/json lets the last of two equal names win, matches names whatever
// their case, and replaces invalid UTF-8 in silence. Two readers of one document
// can then see two different inputs, which is how a check is passed with one
// value and a tool is run with another. Here such a document is an error:
//
//   - duplicate names, also when only their escapes differ;
//   - invalid UTF-8, lone surrogates, a byte order mark;
//   - anything after the value, or no value at all;
//   - more than [MaxBytes], [MaxDepth], [MaxMembers], [MaxNumber] or [MaxValues].
//
// [Parse] gives the document as a [Value], [Read] hands it to the caller value
// by value, [Check] gives only the proof. What they have accepted may be decoded
// by the standard library. [Canonical] gives the one text of a value: two
// documents with the same meaning have the same bytes, unless they write a number
// differently. Numbers are their literal text, never converted unless somebody
// asks a [Reader] for an integer, so 1e400 and 0.1000000000000000055 arrive as
// they were sent.
//
//	text, err := strictjson.Canonical([]byte(`{"b": 1.0, "a": "\u00e9"}`))
//	// {"a":"é","b":1.0}
//
// Names are compared byte by byte: "city", "City" and "city\u0000" are three
// names, and which of them a tool knows is for its definition to say.
package strictjson
