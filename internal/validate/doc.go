// Package validate holds decoded inputs against the validate tags of their Go
// structs. [Struct] is asked between decoding and running a tool, [Vet] once
// when the tool is registered. The rules are those of
// github.com/go-playground/validator/v10, with these differences:
//
//   - Presence is judged on the JSON. An explicit 0, false or "" is present, so
//     required means that the key is there, not that the value differs from
//     zero. The same holds for required_with, excluded_without and their kin;
//     omitempty has no effect.
//   - A field whose key is absent is not validated. Nor is null that was decoded
//     to nil: whether null is allowed is the schema's question.
//   - The rules of a struct hold wherever it stands in the input; a slice or map
//     of structs needs no dive for them.
//   - A json.Number is a number, also in a field of type any, and not its text. A value
//     in an any that is of no type that the rule is for breaks the rule.
//   - The rule datetime with a layout of RFC 3339 is the format date-time of a schema,
//     which has leap seconds and small letters too.
//
// Everything that is wrong is reported at once, in words for whoever wrote the
// input, with the parameter's path: names as in the JSON and positions from 0,
// joined by dots.
//
//	type args struct {
//		City string `json:"city" validate:"required"`
//		Days int    `json:"days" validate:"min=1,max=16"`
//	}
//	input := []byte(`{"days":17}`) // and decoded into in
//	err := validate.Struct(&in, input)
//	// VALIDATION_ERROR: city: required; days: must be at most 16, got 17
//
// Cross-field rules (eqfield, gtcsfield, required_if …) name Go fields, from the
// struct that holds the field. Fields of embedded structs belong to the struct
// that embeds them, as in encoding/json.
//
// A [Schema] judges what JSON Schema can say of inputs and results: draft 2020-12, or
// the draft that $schema names. [Compile] is called when a tool is registered, and its
// mistakes name their place. A schema is never more than it seems: it refers to nothing
// outside of itself, its patterns are in the syntax of Go's regular expressions, and
// what it asks to do with a value ends after a number of steps. Problems are told as
// argv tells them: "days: got 17, expected integer from 1 to 16". Of alternatives, that
// one is explained which the value was meant for.
//
// Some of validator's rules look beyond the value: file, dir, image and
// uds_exists at the host's files, tcp_addr and its kin ask the host's resolver.
// An input comes from a guest, for whom they answer questions about the host.
package validate
