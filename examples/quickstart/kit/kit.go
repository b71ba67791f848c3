package kit

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// ForecastArgs is the input of the tool forecast.
type ForecastArgs struct {
	City  string `json:"city" help:"City name" validate:"required"`
	Days  int    `json:"days" help:"Number of days" validate:"min=1,max=16" default:"3"`
	Month int    `json:"month,omitempty" help:"Start on the first day of this month instead of today (UTC)" validate:"min=1,max=12"`
}

// Forecast is the result of the tool forecast: means over its days.
type Forecast struct {
	Temperature float64 `json:"temperature" help:"Degrees Celsius"`
	Condition   string  `json:"condition"`
}

// CitiesArgs is the input of the tool cities.
type CitiesArgs struct {
	Country string `json:"country,omitempty" help:"ISO 3166 code, such as FR" validate:"len=2"`
}

// Cities is the result of the tool cities: names that forecast knows, sorted.
type Cities struct {
	Cities []string `json:"cities"`
}

var notFound = toolkit.DeclareError("NOT_FOUND", toolkit.Usage, 3, "no such city")

// Toolkit is the toolkit weather. It is ready for host.New.
func Toolkit() *toolkit.Toolkit { return toolkitAt(time.Now) }

// toolkitAt is the toolkit with a clock of the caller's, so that a test can say
// what day it is.
func toolkitAt(now func() time.Time) *toolkit.Toolkit {
	forecastTool := toolkit.Func(toolkit.Spec{
		Name: "forecast", Summary: "Get the weather forecast for a city", ReadOnly: true,
		Description: "The answer is the climate normal of those days (means 1991–2020, Japan Meteorological Agency), not a prediction.",
		Examples:    []toolkit.Example{{Summary: "3-day forecast for Paris", Input: ForecastArgs{City: "Paris", Days: 3}}},
		Errors:      []*toolkit.Error{notFound},
	}, func(_ context.Context, in ForecastArgs) (Forecast, error) { return forecast(now().UTC(), in) })
	citiesTool := toolkit.Func(toolkit.Spec{
		Name: "cities", Summary: "List the cities that forecast knows", ReadOnly: true, Idempotent: true,
		Examples: []toolkit.Example{{Summary: "Cities in France", Input: CitiesArgs{Country: "FR"}}},
	}, cities)
	return &toolkit.Toolkit{Name: "weather", Summary: "Weather data tools", Tools: []toolkit.Tool{forecastTool, citiesTool}}
}

func forecast(day time.Time, in ForecastArgs) (Forecast, error) {
	city, ok := find(in.City)
	if !ok {
		return Forecast{}, unknown(in.City)
	}
	if in.Month != 0 {
		day = time.Date(day.Year(), time.Month(in.Month), 1, 0, 0, 0, 0, time.UTC)
	}
	celsius, mm := city.mean(day, in.Days)
	// Adding 0 turns the -0 that rounding may leave into 0.
	return Forecast{Temperature: math.Round(celsius*10)/10 + 0, Condition: condition(celsius, mm)}, nil
}

func cities(_ context.Context, in CitiesArgs) (Cities, error) {
	var names []string
	for _, city := range normals {
		if in.Country == "" || strings.EqualFold(city.country, in.Country) {
			names = append(names, city.name)
		}
	}
	return Cities{names}, nil
}
