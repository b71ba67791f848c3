package toolkittest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
	"github.com/agentos-go/agentos/toolkit/toolkittest"
)

func TestRunDecodesTheResult(t *testing.T) {
	var got struct{ Text string }
	toolkittest.Run(t, fixture.Text(), "upper --input 'it'\\''s here'").Result(&got)
	if want := "IT'S HERE"; got.Text != want {
		t.Errorf("text = %q, want %q", got.Text, want)
	}
}

func TestOKIsForToolsWithoutAResult(t *testing.T) {
	kit := &toolkit.Toolkit{Name: "quiet", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(context.Context, struct{}) (toolkit.None, error) { return toolkit.None{}, nil })}}
	toolkittest.Run(t, kit, "run").OK()
}

func TestRunTellsTheError(t *testing.T) {
	err := toolkittest.Run(t, fixture.Weather(), "forecast --city Atlantis").Error()
	if !errors.Is(err, fixture.NoCity) || err.ExitStatus() != 3 {
		t.Errorf("error = %v, exit %d, want NOT_FOUND, exit 3", err, err.ExitStatus())
	}
	err = toolkittest.Run(t, fixture.Math(), "add --a 1 --output result").Error()
	if got := err.Problems(); err.Code != toolkit.CodeValidationError || len(got) != 1 || got[0].Path != "b" {
		t.Errorf("error = %v with problems %v, want b to be missing", err, got)
	}
}

func TestAGuestHasStdinVariablesAndFiles(t *testing.T) {
	guest := &toolkittest.Guest{
		Stdin: strings.NewReader(`{"city":"Paris"}`),
		Env:   map[string]string{"CITY": "Rome"},
		Files: map[string]string{"in.json": `{"city":"Oslo"}`},
	}
	for line, want := range map[string]string{
		"forecast": "Paris", `forecast --city "$CITY"`: "Rome", "forecast --json-file in.json": "Oslo",
	} {
		var got struct{ City string }
		guest.Run(t, fixture.Weather(), line).Result(&got)
		if got.City != want {
			t.Errorf("%s: city = %q, want %q", line, got.City, want)
		}
	}
	if err := guest.Run(t, fixture.Weather(), "forecast --json-file nosuch").Error(); err.Code != toolkit.CodeUsageError {
		t.Errorf("a file that is not there: %v, want USAGE_ERROR", err)
	}
}
