package argv_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// forecastKit is the toolkit of the examples.
var forecastKit = &toolkit.Definition{Command: toolkit.Command{
	Name: "weather", Summary: "Weather data tools",
	Commands: []toolkit.Command{{
		Name: "forecast", Aliases: []string{"fc"}, Summary: "Get the weather forecast for a city",
		Body: &toolkit.Body{Annotations: toolkit.Annotations{ReadOnly: true}, Options: []toolkit.Option{
			{Name: "city", Required: true, Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}}},
			{Name: "days", Default: json.RawMessage(`3`), Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeInteger}, Minimum: "1", Maximum: "16"}},
		}},
	}, {
		Name: "alerts", Body: &toolkit.Body{},
	}},
}}

func ExampleParse() {
	inv, err := argv.Parse(forecastKit, &argv.Line{
		Program: "agentos-weather",
		Args:    []string{"fc", "--city", "Paris", "--output", "result"},
	})
	fmt.Println(inv.Path, string(inv.Input), inv.Options.Output, err)
	// Output: [forecast] {"city":"Paris"} result <nil>
}

func ExampleParse_problems() {
	_, err := argv.Parse(forecastKit, &argv.Line{
		Program: "agentos-weather",
		Args:    []string{"forecast", "--ctiy", "Paris", "--days", "20"},
	})
	var e *toolkit.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code)
		for _, p := range e.Problems() {
			fmt.Printf("%s: got %q, expected %s\n", p.Path, p.Got, p.Expected)
		}
		fmt.Println(e.Hint)
	}
	// Output:
	// USAGE_ERROR
	// ctiy: got "--ctiy", expected one of --city, --days
	// city: got "", expected string
	// days: got "20", expected integer from 1 to 16
	// agentos-weather forecast --city Paris --days 3
}

func ExampleComplete() {
	input, err := argv.Complete(forecastKit, []string{"forecast"}, json.RawMessage(`{ "city": "Paris" }`))
	fmt.Println(string(input), err)

	_, err = argv.Complete(forecastKit, []string{"forecast"}, json.RawMessage(`{"city": 5, "City": "Paris"}`))
	fmt.Println(err)
	// Output:
	// {"city":"Paris","days":3} <nil>
	// VALIDATION_ERROR: city: got 5, expected string; City: unknown key, nearest city, expected one of city, days
}

func ExampleResolve() {
	path, cmd, _ := argv.Resolve(forecastKit, []string{"fc"})
	fmt.Println(path, cmd.Summary)

	_, _, err := argv.Resolve(forecastKit, []string{"forcast"})
	fmt.Println(err)
	// Output:
	// [forecast] Get the weather forecast for a city
	// TOOL_NOT_FOUND: No tool "forcast" in toolkit "weather". Nearest: forecast. Available: alerts, forecast
}

func ExampleLeadingWords() {
	fmt.Println(argv.LeadingWords([]string{"forecast", "--city", "Paris"}))
	// Output: [forecast]
}

func ExamplePrune() {
	part := argv.Prune(forecastKit, []string{"forecast"})
	fmt.Println(len(forecastKit.Commands), len(part.Commands), part.Commands[0].Name)
	// Output: 2 1 forecast
}

func ExampleLocate() {
	bones := argv.Skeleton(forecastKit)
	fmt.Println(bones.Commands[0].Body == nil, argv.Locate(bones, []string{"--timeout", "5s", "fc", "--city", "Paris"}))
	// Output: true [forecast]
}

func ExampleNearest() {
	fmt.Println(argv.Nearest("forcast", []string{"alerts", "forecast", "foresight"}))
	// Output: [forecast]
}
