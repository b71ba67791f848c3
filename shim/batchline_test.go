package shim

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// Whatever a line is, it is a request of something that a host can be asked for, or
// a USAGE_ERROR that names it.
func FuzzBatchLine(f *testing.F) {
	for _, seed := range []string{
		batchToolLine, batchArgvLine, `{}`, `[]`, ``, `{"argv":["call","x"]}`, `{"argv":[""]}`, `{"toolkit":"a","tool":"b","input":{"c":[1,{"d":null}]}}`,
		`{"toolkit":"a","input": {} }`, `{"Toolkit":1}`, `{"argv":["\u0000","\ud83d\ude00"]}`, `{"toolkit":"a","toolkit":"b"}`, "\xef\xbb\xbf{}", "{\"a\":\xff}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		line := &batchLine{number: 7, text: text}
		request, err := line.request()
		if err != nil {
			if err.Code != toolkit.CodeUsageError || !strings.HasPrefix(err.Message, "line 7: ") || err.Hint == "" {
				t.Errorf("%q: %+v, want a USAGE_ERROR of line 7 with a hint", text, err)
			}
			return
		}
		if !json.Valid(text) || len(request.kit) > maxKitName || request.program == "" && request.kit == "" {
			t.Errorf("%q was read as %+v", text, request)
		}
		if in := request.input; in != nil && (in[0] != '{' || in[len(in)-1] != '}') {
			t.Errorf("%q: input %q is more than an object", text, request.input)
		}
	})
}
