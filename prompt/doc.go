// Package prompt turns definitions into the text that tells a language model
// which commands it has, for its system prompt.
//
//	text := prompt.Render(definitions, &prompt.Options{Budget: 1500})
//
// The text depends on nothing but the definitions and the options: the same
// definitions give the same bytes in any order, so that prompt caches hold.
package prompt
