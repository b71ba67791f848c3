package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type copyArgs struct {
	From File      `json:"from" help:"File to read" validate:"required"`
	More []File    `json:"more" help:"Further files"`
	To   *OutFile  `json:"to" help:"File to write"`
	Note string    `json:"note"`
	In   io.Reader `stdin:"text/plain, text/csv" validate:"required"`
	Out  io.Writer `stdout:"application/json"`
	Log  io.Writer `stderr:""`
}

func TestStreamsAreSlots(t *testing.T) {
	body, ts := readInput(reflect.TypeFor[copyArgs]())
	if len(ts.mistakes) > 0 {
		t.Fatal(ts.mistakes)
	}
	want := []*Slot{{MIME: []string{"text/plain", "text/csv"}, Required: true}, {MIME: []string{"application/json"}}, {}}
	if diff := cmp.Diff(want, []*Slot{body.Stdin, body.Stdout, body.Stderr}); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
	var got []string
	for _, o := range body.Options {
		format := o.Schema.Format
		if o.Schema.Items != nil {
			format = "list of " + o.Schema.Items.Format
		}
		got = append(got, strings.TrimSpace(o.Name+" "+format))
	}
	if want := []string{"from agentos-file", "more list of agentos-file", "to agentos-out-file", "note"}; !cmp.Equal(got, want) {
		t.Errorf("options = %q, want %q", got, want)
	}
}

// What flows beside the JSON is in the fields when the handler runs.
func TestTheHandlerGetsItsStreams(t *testing.T) {
	var out, log, to bytes.Buffer
	tool := Func(Spec{Name: "copy"}, func(_ context.Context, in copyArgs) (string, error) {
		for w, text := range map[io.Writer]string{in.Out: "to stdout", in.Log: "to stderr", in.To: "to the file"} {
			if _, err := io.WriteString(w, text); err != nil {
				return "", err
			}
		}
		all, err := io.ReadAll(io.MultiReader(in.In, in.From, in.More[0], in.More[1]))
		return in.From.Path + " " + in.From.Name + " " + in.From.MIME + " " + in.To.Path + ": " + string(all), err
	})
	in, err := tool.Decode(json.RawMessage(`{"from":"/a/b.txt","more":["c","d"],"to":"/tmp/out"}`))
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) File {
		return File{Name: "sent", Size: int64(len(s)), MIME: "text/plain", Reader: strings.NewReader(s)}
	}
	ctx := WithStreams(t.Context(), &Streams{
		Stdin: strings.NewReader("1"), Stdout: &out, Stderr: &log,
		Files:    map[string]File{"/from": text("2"), "/more/0": text("3"), "/more/1": text("4")},
		OutFiles: map[string]io.Writer{"/to": &to},
	})
	got, err := tool.Run(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(got)
	if want := `"/a/b.txt sent text/plain /tmp/out: 1234"`; err != nil || string(document) != want {
		t.Errorf("result = %s, %v, want %s", document, err, want)
	}
	if out.String() != "to stdout" || log.String() != "to stderr" || to.String() != "to the file" {
		t.Errorf("stdout %q, stderr %q, file %q", out.String(), log.String(), to.String())
	}
}

// Without streams the fields are nil, and a file knows its path.
func TestStreamsThatNobodyServes(t *testing.T) {
	tool := Func(Spec{Name: "copy"}, func(_ context.Context, in copyArgs) (bool, error) {
		return in.In == nil && in.Out == nil && in.Log == nil && in.From.Reader == nil && in.From.Name == "b.txt" && in.From.Size == -1 && in.To == nil, nil
	})
	in, err := tool.Decode(json.RawMessage(`{"from":"/a/b.txt"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := tool.Run(t.Context(), in)
	if document, _ := json.Marshal(got); err != nil || string(document) != "true" {
		t.Errorf("result = %s, %v, want all of it absent", document, err)
	}
}

func TestStreamMistakes(t *testing.T) {
	for want, in := range map[string]any{
		"field B: a second field for stdin": struct {
			A, B io.Reader
		}{},
		"field A: the tag stdout: an io.Reader is stdin": struct {
			A io.Reader `stdout:""`
		}{},
		"field A: the tag stdin: an io.Writer is stdout or stderr": struct {
			A io.Writer `stdin:""`
		}{},
		"field A: the tags stdout and stderr: a field is one stream": struct {
			A io.Writer `stdout:"" stderr:""`
		}{},
	} {
		_, ts := readInput(reflect.TypeOf(in))
		if got := joined(ts.mistakes); got != want {
			t.Errorf("mistakes = %q, want %q", got, want)
		}
	}
}

func joined(errs []error) string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}
