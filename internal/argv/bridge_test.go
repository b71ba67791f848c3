package argv

import (
	"strings"
	"testing"
	"time"
)

func TestBridgeOptions(t *testing.T) {
	def := definition(t, fixture)
	inv, err := parseCase(t, def, lineCase{line: `agentos-x --output result t --timeout 1h30m --field /a/0/~0~1 --result-file out.json ` +
		`--inline-limit 4096 --call-id job.1_a-B --dry-run --n 1`})
	want := &Invocation{Path: []string{"t"}, Input: []byte(`{"n":1}`), Options: Options{
		Output: "result", Timeout: 90 * time.Minute, Field: "/a/0/~0~1", HasField: true, ResultFile: "out.json",
		InlineLimit: 4096, CallID: "job.1_a-B", DryRun: true,
	}}
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "invocation", inv, want)
}

func TestBridgeOptionsHaveDefaults(t *testing.T) {
	inv, err := parseCase(t, definition(t, fixture), lineCase{line: `agentos-x t`})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "options", inv.Options, Options{Output: "envelope", InlineLimit: -1})
}

func TestBridgeOptionsThatCannotBeRead(t *testing.T) {
	var rows []lineCase
	for _, words := range []string{
		"--output json", "--field a", "--field /a~2", "--field /~", "--result-file ''", "--inline-limit -1", "--inline-limit 1k",
		"--inline-limit 99999999999999999999", "--call-id ''", "--call-id a/b", "--call-id " + strings.Repeat("a", 65), "--timeout x",
	} {
		name, _, _ := strings.Cut(words, " ")
		rows = append(rows, lineCase{line: "agentos-x t " + words, want: "USAGE_ERROR", says: []string{name + ": got "}})
	}
	rows = append(rows,
		lineCase{line: "agentos-x t --dry-run=false", want: "USAGE_ERROR", says: []string{"--dry-run: takes no value"}},
		lineCase{line: "agentos-x t --field", want: "USAGE_ERROR", says: []string{"--field: a value is required"}},
		lineCase{line: "agentos-x t --call-id a --call-id b", want: "USAGE_ERROR", says: []string{`--call-id: given twice, as "a" and "b"`}},
		lineCase{line: "agentos-x t --call-id a --call-id a", want: "t {}"},
		lineCase{line: "agentos-x t --field ''", want: "t {}"},
		lineCase{line: "agentos-x t --version --nosuch", want: "VERSION"},
		lineCase{line: "agentos-x --version", want: "VERSION"},
	)
	checkLines(t, definition(t, fixture), rows)
}

func TestBridgeOptionsAreReadWhenTheRestIsWrong(t *testing.T) {
	def := definition(t, fixture)
	for _, line := range []string{
		"agentos-x t --n x --output text", "agentos-x nosuch word --output text --q", "agentos-x --output text",
		"agentos-x t --nosuch --output text", "agentos-x t --s --help --output text", "agentos-x t --json '{' --output=text",
	} {
		inv, err := parseCase(t, def, lineCase{line: line})
		if err == nil || inv.Options.Output != "text" {
			t.Errorf("%s: got output %q and %v, want text and an error", line, inv.Options.Output, err)
		}
	}
}

func TestParametersWinOverBridgeOptions(t *testing.T) {
	def := command(t, `"options": [{"name": "output", "schema": {"type": "string"}}, {"name": "callId", "schema": {"type": "string"}},
		{"name": "result", "schema": {"type": "string"}}], "flags": [{"name": "dryRun"}, {"name": "version"}]`)
	inv, err := parseCase(t, def, lineCase{line: `agentos-x --output a --call-id b --dry-run --version ` +
		`--agentos:output text --agentos:call-id=c --agentos:dry-run --result-file out`})
	if err != nil {
		t.Fatal(err)
	}
	want := &Invocation{Input: []byte(`{"callId":"b","dryRun":true,"output":"a","version":true}`),
		Options: Options{Output: "text", CallID: "c", DryRun: true, InlineLimit: -1, ResultFile: "out"}}
	diff(t, "invocation", inv, want)
}

func TestBridgeVariables(t *testing.T) {
	def := definition(t, fixture)
	all := []string{"AGENTOS_OUTPUT=text", "AGENTOS_TIMEOUT=5", "AGENTOS_INLINE_LIMIT=0", "AGENTOS_CALL_ID=x", "AGENTOS_DRY_RUN=1"}
	inv, err := parseCase(t, def, lineCase{line: "agentos-x t", env: all})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "options", inv.Options, Options{Output: "text", Timeout: 5 * time.Second, InlineLimit: 0})

	inv, err = parseCase(t, def, lineCase{line: "agentos-x t --output result --timeout 1s", env: []string{"AGENTOS_OUTPUT=bad", "AGENTOS_TIMEOUT=bad"}})
	if err != nil || inv.Options.Output != "result" || inv.Options.Timeout != time.Second {
		t.Errorf("options beside bad variables: got %+v, %v, want those of the line", inv.Options, err)
	}
	checkLines(t, def, []lineCase{
		{line: "agentos-x t", env: []string{"AGENTOS_OUTPUT="}, want: "t {}"},
		{line: "agentos-x t", env: []string{"AGENTOS_OUTPUT=json"}, want: "USAGE_ERROR", says: []string{"variable AGENTOS_OUTPUT: got \"json\""}},
		{line: "agentos-x t", env: []string{"AGENTOS_TIMEOUT=0"}, want: "USAGE_ERROR", says: []string{"variable AGENTOS_TIMEOUT"}},
		{line: "agentos-x t", env: []string{"AGENTOS_INLINE_LIMIT=64k"}, want: "USAGE_ERROR", says: []string{"variable AGENTOS_INLINE_LIMIT"}},
		{line: "agentos-x t --help", env: []string{"AGENTOS_OUTPUT=json"}, want: "HELP t"},
	})
}
