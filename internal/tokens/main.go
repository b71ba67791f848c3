package main

import (
	"fmt"
	"os"

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run() error {
	count, err := encoder()
	if err != nil {
		return err
	}
	r, err := newReport(count)
	if err != nil {
		return err
	}
	fmt.Print(r.text())
	return r.missed()
}

// encoder counts the tokens of a text.
func encoder() (func(text string) int, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("get the encoder: %w", err)
	}
	return func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			panic(err) // the encoder has a token for every byte
		}
		return n
	}, nil
}
