// Package search finds the tools that fit plain words: "open a ticket" finds
// github issue-write, "Create a new or update an existing issue".
//
// [Search] ranks tools by what their definitions say: names and summaries first,
// then descriptions, parameters, examples and the fields of results. It knows
// plurals and verb forms, common synonyms and small typing errors. [Answer] shows
// the best of what it found, as [Text] and as [JSON].
//
//	text, found, err := search.Answer(defs, "open a ticket")
//
// The package is pure, and nothing is kept between searches: the index is made
// from the definitions that one guest may see at that moment, so that neither
// the hits nor their order tell of any other tool.
package search
