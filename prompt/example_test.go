package prompt_test

import (
	"fmt"
	"log"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

func ExampleRender() {
	def, err := fixture.Weather().Definition()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(prompt.Render([]*toolkit.Definition{def}, &prompt.Options{Budget: 150}))
	// Output:
	// ## Host tools
	// Commands that run on the host, outside this machine. Output is JSON: {"ok":true,"result":…} or {"ok":false,"error":…,"message":…}; the exit status is 0 only on success.
	// `agentos-<toolkit> <tool> --help` shows details, `agentos search '<words>'` finds tools, `agentos list-tools` lists all. Nested input: --json '{…}'. Over 100 kB: --json-file or --json -.
	//
	// ### agentos-weather — Weather data tools
	// - `agentos-weather forecast --city <string> [--days <integer>]` — Get the weather forecast for a city
	//
	// Left out: 1 example. `--help` shows them.
}

func ExampleAnthropic() {
	def, err := fixture.Math().Definition()
	if err != nil {
		log.Fatal(err)
	}
	schemas := prompt.Schemas([]*toolkit.Definition{def}, nil)
	fmt.Printf("%s\n", prompt.Anthropic(schemas))
	fmt.Printf("%s is %s %s\n", schemas[0].Name, schemas[0].Toolkit, schemas[0].Path)
	// Output:
	// [{"name":"math_add","description":"Add two numbers","input_schema":{"additionalProperties":false,"properties":{"a":{"description":"First number","type":"number"},"b":{"description":"Second number","type":"number"}},"required":["a","b"],"type":"object"}}]
	// math_add is math [add]
}

func ExampleOpenAI() {
	def, err := fixture.Math().Definition()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", prompt.OpenAI(prompt.Schemas([]*toolkit.Definition{def}, nil)))
	// Output:
	// [{"type":"function","function":{"name":"math_add","description":"Add two numbers","parameters":{"additionalProperties":false,"properties":{"a":{"description":"First number","type":"number"},"b":{"description":"Second number","type":"number"}},"required":["a","b"],"type":"object"}}}]
}
