// Command tokens reports what agentos costs a language model in tokens, beside what
// the same tools and the same task cost it as tool calls, and fails when a limit that
// the project has set itself is missed.
//
// Tokens are those of o200k_base, the encoding of OpenAI's models since GPT-4o; the
// vocabulary is part of the tokenizer's module, so that nothing is fetched. Other
// models count otherwise, but both sides of a comparison alike.
package main
