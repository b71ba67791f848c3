package argv_test

import (
	"encoding/json"
	"fmt"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// weather is the toolkit of the examples.
func weather() *toolkit.Definition {
	days := &toolkit.Schema{Type: toolkit.Types{toolkit.TypeInteger}, Minimum: "1", Maximum: "16"}
	return &toolkit.Definition{Command: toolkit.Command{
		Name: "weather", Summary: "Weather data tools",
		Commands: []toolkit.Command{{
			Name: "forecast", Summary: "Get the weather forecast for a city",
			Body: &toolkit.Body{
				Options: []toolkit.Option{
					{Name: "city", Help: "City name", Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}}, Required: true},
					{Name: "days", Help: "Number of days", Schema: days, Default: json.RawMessage("3")},
				},
			},
		}},
	}}
}

func ExampleQuote() {
	fmt.Println(argv.Quote("Paris"))
	fmt.Println(argv.Quote("San Francisco's $HOME"))
	// Output:
	// Paris
	// 'San Francisco'\''s $HOME'
}

func ExampleCommandLine() {
	input := json.RawMessage(`{"city":"Saint-Étienne","days":2}`)
	line, err := argv.CommandLine("agentos-weather", weather(), []string{"forecast"}, input)
	fmt.Println(line, err)
	// Output: agentos-weather forecast --city 'Saint-Étienne' --days 2 <nil>
}

func ExampleSignature() {
	fmt.Println(argv.Signature(weather(), []string{"forecast"}))
	// Output: --city <string> [--days <integer>]
}

func ExampleUsage() {
	fmt.Print(argv.Usage("agentos-weather", weather(), []string{"forecast"}))
	// Output: Usage: agentos-weather forecast --city <string> [--days <integer>]
}

func ExampleHelp() {
	def, path := weather(), []string{"forecast"}
	def.Commands[0].Body.Sample, _ = argv.Sample(def, path, nil) // as a host does
	fmt.Print(argv.Help("agentos-weather", def, path))
	// Output:
	// Get the weather forecast for a city
	//
	// Usage: agentos-weather forecast --city <string> [--days <integer>]
	//
	// Options:
	//   --city <string>     City name (required)
	//   --days <integer>    Number of days (1–16, default 3)
	//
	// Examples:
	//   agentos-weather forecast --city CITY
	// Input may also be JSON: --json '{"city":"CITY"}', --json-file PATH, or piped.
	// Over 100 kB: --json-file PATH, --city-file PATH or a pipe.
	// Also: --field /POINTER, --output result|text, --timeout 5s (agentos --help lists all).
}

func ExampleList() {
	fmt.Print(argv.List([]*toolkit.Definition{weather()}))
	// Output:
	// weather — Weather data tools
	//   forecast  --city <string> [--days <integer>]   Get the weather forecast for a city
}

func ExampleListToolkit() {
	fmt.Print(argv.ListToolkit(weather()))
	// Output:
	// weather — Weather data tools
	//   forecast  --city <string> [--days <integer>]   Get the weather forecast for a city
	//     --city <string>     City name (required)
	//     --days <integer>    Number of days (1–16, default 3)
}

func ExampleListJSON() {
	fmt.Println(string(argv.ListJSON([]*toolkit.Definition{weather()})))
	// Output: {"toolkits":[{"name":"weather","description":"Weather data tools","tools":["forecast"]}]}
}

func ExampleListToolkitJSON() {
	def := weather()
	def.Commands[0].Body.Options = def.Commands[0].Body.Options[:1]
	fmt.Println(string(argv.ListToolkitJSON(def)))
	// Output: {"name":"weather","description":"Weather data tools","tools":{"forecast":{"description":"Get the weather forecast for a city","flags":[{"flag":"--city","type":"string","required":true,"description":"City name"}]}}}
}

func ExampleDescribe() {
	var doc struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	}
	err := json.Unmarshal(argv.Describe(weather(), []string{"forecast"}), &doc)
	fmt.Println(doc.Tool, err)
	fmt.Println(string(doc.Input))
	// Output:
	// forecast <nil>
	// {"additionalProperties":false,"properties":{"city":{"description":"City name","type":"string"},"days":{"default":3,"description":"Number of days","maximum":16,"minimum":1,"type":"integer"}},"required":["city"],"type":"object"}
}

func ExampleInputSchema() {
	schema := argv.InputSchema(weather(), []string{"forecast"})
	fmt.Println(schema.Type, schema.Required, schema.Properties["days"].Maximum)
	// Output: [object] [city] 16
}

func ExampleVet() {
	def := weather()
	def.Commands[0].Body.Options[1].Default = json.RawMessage("0")
	def.Commands[0].Body.Errors = []toolkit.ErrorCase{{Name: "NOT_FOUND", Exit: 127}}
	for _, err := range argv.Vet(def) {
		fmt.Println(err)
	}
	// Output:
	// toolkit "weather": tool "forecast": option "days": the default: got 0, expected integer from 1 to 16
	// toolkit "weather": tool "forecast": error "NOT_FOUND": the exit status 127 is not valid: 1 and 3 to 63 are, and 0 means 1; the others belong to shells and the bridge
}
