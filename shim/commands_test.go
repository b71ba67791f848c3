package shim

import (
	"encoding/json"
	"testing"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/prompt"
)

// Every word that means a command of agentos is known where toolkits are linted,
// so that the author of one with that name is told.
func TestCase_B057_EveryOwnCommandIsLinted(t *testing.T) {
	for _, command := range ownCommands().Commands {
		for _, name := range append(command.Aliases, command.Name) {
			if !argv.IsOwnCommand(name) || !isOwn(name) {
				t.Errorf("%s: is an own command: %v, for the lint: %v, want both", name, isOwn(name), argv.IsOwnCommand(name))
			}
		}
	}
	for _, name := range []string{"weather", "agentos"} {
		if argv.IsOwnCommand(name) || isOwn(name) {
			t.Errorf("control: %s is taken for an own command", name)
		}
	}
}

// The least budget that the command takes is the least for which there always is a
// text.
func TestTheLeastBudgetOfPrompt(t *testing.T) {
	command := promptCommand()
	if got, err := command.Body.Options[0].Schema.Minimum.Int64(); err != nil || got != prompt.MinBudget {
		t.Errorf("got %d (%v), want %d", got, err, prompt.MinBudget)
	}
	var example ownInput
	if err := json.Unmarshal(command.Examples[0].Input, &example); err != nil || example.Budget < 10*prompt.MinBudget {
		t.Errorf("the example is %s (%v), want a budget of use", command.Examples[0].Input, err)
	}
	for _, problem := range argv.Vet(ownCommands()) {
		t.Error(problem)
	}
}

// TestCase_B038_OwnSamples: what help shows as an example is what would be made up.
func TestCase_B038_OwnSamples(t *testing.T) {
	def := ownCommands()
	for _, command := range def.Commands {
		sample, _ := argv.Sample(def, []string{command.Name}, nil)
		want, _ := strictjson.Canonical(command.Body.Sample)
		if string(sample) != string(want) {
			t.Errorf("%s: got %s, want %s", command.Name, want, sample)
		}
	}
}
