// Package argv translates between a command line and the input of a tool, by the
// tool's definition, in both directions.
//
// [Parse] reads the words after the program into an [Invocation]: the command's
// path and its input as one canonical JSON object. [CommandLine] writes such an
// input as a line for a shell; Parse reads it back. [Help], [Usage], [List],
// [Describe] and [InputSchema] are texts made from the same definition, and [Vet]
// says what is wrong with one. [Suggest] says what may come next on a line.
//
//	inv, err := argv.Parse(def, &argv.Line{Program: "agentos-weather", Args: []string{"forecast", "--city", "Paris"}})
//	// inv.Path is [forecast], inv.Input is {"city":"Paris"}
//
// Parse runs in the guest. The host trusts none of it: [Complete] judges the input
// again by the definition and adds the defaults, and what it returns is what
// policy sees and handlers decode.
//
// The declared type of a parameter decides how its text is read, never the look
// of the text: 000123 stays text for a string, 9007199254740993 stays exact for an
// integer, and numbers are never converted to floating point.
//
// The package is pure. Variables, files and stdin are functions of [Line] that
// the caller provides, and nothing is printed. Patterns, formats and composed
// schemas (allOf, anyOf, oneOf, not) are not judged here: the host's validator
// does that.
package argv
