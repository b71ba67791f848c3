package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed testdata/task.json
var taskFile []byte

// task is one piece of work, done twice: by ten tool calls, each of which the model
// makes when it has seen the result of the one before, and by one shell script over
// the same tools. Both were run with the example toolkits, and a test runs them again.
type task struct {
	Task   string   `json:"task"`
	Calls  []call   `json:"calls"`
	Script []string `json:"script"` // lines
	Output string   `json:"output"` // of the script
}

// call is a tool call and what came back.
type call struct {
	Toolkit string          `json:"toolkit"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	Result  json.RawMessage `json:"result"`
}

func loadTask() (*task, error) {
	var t task
	if err := json.Unmarshal(taskFile, &t); err != nil {
		return nil, fmt.Errorf("read the recorded task: %w", err)
	}
	return &t, nil
}

// script is the script as a shell reads it.
func (t *task) script() string {
	text := ""
	for _, line := range t.Script {
		text += line + "\n"
	}
	return text
}

// taskCost is what a task costs both ways.
type taskCost struct {
	task          string
	calls, script exchangeCost
}

// exchangeCost is what a conversation costs beside its beginning: the model writes
// calls and reads results. What it has once read or written it is given again with
// every turn that follows.
type exchangeCost struct{ turns, written, read, given int }

// add is one more turn: what the model writes, and what comes back.
func (c *exchangeCost) add(written, read int) {
	c.turns++
	c.written += written
	c.read += read
	c.given += c.conversation()
}

func (c *exchangeCost) conversation() int { return c.written + c.read }

// cost counts the calls as names and arguments and the results as JSON, without what
// an API adds to a message: that favours the many calls.
func (t *task) cost(count func(string) int) taskCost {
	cost := taskCost{task: t.Task}
	for _, c := range t.Calls {
		cost.calls.add(count(asCall(c.Toolkit+"_"+c.Tool, c.Input)), count(compact(c.Result)))
	}
	cost.script.add(count(asCall("shell", map[string]string{"command": t.script()})), count(t.Output))
	return cost
}

// asCall is a tool call as a model writes it.
func asCall(name string, arguments any) string {
	return compact(struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}{name, arguments})
}

func compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and JSON that was read
	}
	return string(text)
}

func (c taskCost) text() string {
	text := fmt.Sprintf("A recorded task: %s\n\n  %-22s %5s  %7s  %5s  %15s  %27s\n", c.task, "", "turns", "written", "read", "in conversation", "given to it over all turns")
	for _, row := range []struct {
		name string
		exchangeCost
	}{{"tool calls", c.calls}, {"a script of commands", c.script}} {
		text += fmt.Sprintf("  %-22s %5d  %7d  %5d  %15d  %27d\n", row.name, row.turns, row.written, row.read, row.conversation(), row.given)
	}
	return text + "\n  One by one, as recorded; a model that asks for all forecasts at once needs three turns for its\n" +
		"  calls, and the conversation is as long.\n"
}
