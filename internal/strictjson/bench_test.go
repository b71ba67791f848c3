package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
)

// smallInput is an ordinary tool's input, 210 bytes.
const smallInput = `{"city":"San Francisco","days":3,"units":"metric","tags":["a","b","c"],` +
	`"opts":{"verbose":true,"limit":12.5,"name":"somebody","nested":{"x":null,"y":"z"}},` +
	`"note":"a longer text with some words in it","n":123456}`

func BenchmarkSmall(b *testing.B) {
	text := []byte(smallInput)
	run(b, "Check", text, func() error { return Check(text) })
	run(b, "Parse", text, func() error { _, err := Parse(text); return err })
	run(b, "Canonical", text, func() error { _, err := Canonical(text); return err })
	run(b, "encodingjson", text, func() error { var v any; return json.Unmarshal(text, &v) })
}

func BenchmarkLarge(b *testing.B) {
	for name, document := range map[string]string{
		"10000members": objectText(10_000),
		"text":         `{"text":"` + strings.Repeat("words and more words. ", 50_000) + `"}`,
		"records":      "[" + strings.Repeat(smallInput+",", 4999) + smallInput + "]",
	} {
		text := []byte(document)
		run(b, name+"/Check", text, func() error { return Check(text) })
		run(b, name+"/Canonical", text, func() error { _, err := Canonical(text); return err })
		run(b, name+"/encodingjson", text, func() error { var v any; return json.Unmarshal(text, &v) })
	}
}

func run(b *testing.B, name string, text []byte, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
