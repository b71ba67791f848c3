package toolkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

type ForecastArgs struct {
	City string `json:"city" help:"City name" validate:"required"`
	Days int    `json:"days" help:"Number of days" validate:"min=1,max=16" default:"3"`
}

type Forecast struct {
	Temperature float64 `json:"temperature" help:"Degrees Celsius"`
	Condition   string  `json:"condition"`
}

var ErrNoCity = toolkit.DeclareError("NO_CITY", toolkit.Usage, 3, "no such city")

func forecast(ctx context.Context, in ForecastArgs) (Forecast, error) {
	toolkit.Progress(ctx, "asking the weather service")
	if in.City != "Paris" {
		return Forecast{}, ErrNoCity.Errorf("no city named %q", in.City)
	}
	return Forecast{Temperature: 22, Condition: "sunny"}, nil
}

var forecastTool = toolkit.Func(toolkit.Spec{
	Name: "forecast", Summary: "Get the weather forecast for a city", ReadOnly: true,
	Examples: []toolkit.Example{{Summary: "3-day forecast for Paris", Input: ForecastArgs{City: "Paris", Days: 3}}},
	Errors:   []*toolkit.Error{ErrNoCity},
}, forecast)

// An ordinary function is a tool; a toolkit of tools has a definition.
func ExampleFunc() {
	weather := &toolkit.Toolkit{Name: "weather", Summary: "Weather data tools", Tools: []toolkit.Tool{forecastTool}}
	def, err := weather.Definition()
	if err != nil {
		log.Fatal(err)
	}
	for _, option := range def.Commands[0].Body.Options {
		fmt.Printf("%s %s required=%t default=%q\n", option.Name, option.Schema.Kind(), option.Required, option.Default)
	}
	fmt.Println(string(def.Commands[0].Examples[0].Input))
	// Output:
	// city string required=true default=""
	// days integer required=false default="3"
	// {"city":"Paris","days":3}
}

// Every mistake of a toolkit comes at once.
func ExampleToolkit_Definition() {
	type args struct {
		Days int    `json:"days" default:"three"`
		Unit string `json:"unit" sep:","`
	}
	bad := toolkit.Func(toolkit.Spec{Name: "forecast"}, func(context.Context, args) (toolkit.None, error) { return toolkit.None{}, nil })
	_, err := (&toolkit.Toolkit{Name: "weather", Tools: []toolkit.Tool{bad}}).Definition()
	fmt.Println(err)
	// Output:
	// toolkit "weather": tool "forecast": field Days: default: "three" is not an integer of type int
	// toolkit "weather": tool "forecast": field Unit: sep: string is not a list
}

// local calls tools in place. A host or a guest's client takes its part.
type local struct{}

func (local) CallTool(ctx context.Context, tool toolkit.Tool, input json.RawMessage) (json.RawMessage, error) {
	fmt.Println("input", string(input))
	in, err := tool.Decode(input)
	if err != nil {
		return nil, err
	}
	out, err := tool.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// A tool made by Func is its own typed client.
func ExampleFuncTool_Call() {
	out, err := forecastTool.Call(context.Background(), local{}, ForecastArgs{City: "Paris", Days: 5})
	fmt.Println(out.Condition, err)
	// Output:
	// input {"city":"Paris","days":5}
	// sunny <nil>
}

// A declared error reaches the guest with its own code, text and exit status,
// and is recognised by its code.
func ExampleDeclareError() {
	_, err := forecast(context.Background(), ForecastArgs{City: "Atlantis"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, ErrNoCity))
	var failed *toolkit.Error
	if errors.As(err, &failed) {
		fmt.Println("exit", failed.ExitStatus())
	}
	// Output:
	// NO_CITY: no city named "Atlantis"
	// true
	// exit 3
}

// Constraints are rules over several parameters.
func ExampleMutex() {
	type login struct {
		Token     string `json:"token" secret:"true"`
		TokenFile string `json:"tokenFile"`
		Mode      string `json:"mode" validate:"oneof=safe fast" default:"safe"`
		Force     bool   `json:"force"`
	}
	tool := toolkit.Func(toolkit.Spec{Name: "login", Constraints: []toolkit.Constraint{
		toolkit.Mutex("token", "tokenFile"),
		toolkit.RequiresAny("token", "tokenFile"),
		toolkit.Implies(toolkit.All(toolkit.ValueIs("mode", "fast")), toolkit.All(toolkit.Present("force"))),
	}}, func(context.Context, login) (toolkit.None, error) { return toolkit.None{}, nil })
	cmd, err := tool.Command()
	for _, constraint := range cmd.Body.Constraints {
		fmt.Println(constraint.Kind)
	}
	fmt.Println(err)
	// Output:
	// mutex
	// requires-any
	// implies
	// <nil>
}

// A definition in JSON becomes a toolkit whose calls one handler runs.
func ExampleFromDefinition() {
	def, err := toolkit.ParseDefinition([]byte(`{"name": "text", "commands": [
		{"name": "upper", "body": {
			"options": [{"name": "input", "schema": {"type": "string"}, "required": true}],
			"result": {"type": "string"}}}]}`))
	if err != nil {
		log.Fatal(err)
	}
	kit := toolkit.FromDefinition(def, func(_ context.Context, call *toolkit.Invocation) (json.RawMessage, error) {
		fmt.Println("call", call.Path)
		return json.RawMessage(strings.ToUpper(string(call.Input))), nil
	})
	kit.Walk(func(_ []string, tool toolkit.Tool) {
		out, err := tool.Run(context.Background(), json.RawMessage(`"abc"`))
		fmt.Printf("%s %v\n", out, err)
	})
	// Output:
	// call [upper]
	// "ABC" <nil>
}

// A host hands the progress of a call on; outside of a call it goes nowhere.
func ExampleProgress() {
	ctx := toolkit.WithProgress(context.Background(), func(message string) { fmt.Println("progress:", message) })
	toolkit.Progress(ctx, "half done")
	toolkit.Progress(context.Background(), "unheard")
	// Output:
	// progress: half done
}
