// Package prompt turns definitions into what a language model is told of its
// tools: the text for its system prompt, or the list for a tool-calling API.
//
//	text := prompt.Render(definitions, &prompt.Options{Budget: 1500})
//	list := prompt.OpenAI(prompt.Schemas(definitions, nil))
//
// The text depends on nothing but the definitions and the options: the same
// definitions give the same bytes in any order, so that prompt caches hold.
//
// Texts in definitions are data of whoever wrote them. Each stands in one line, of
// limited length, without hidden characters, and without the back-ticks, headings
// and tags by which it could pass for a part of the prompt. What it says cannot be
// judged here; Marks.Untrusted tells the model whose words they are.
package prompt
