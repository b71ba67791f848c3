package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"testing"
	"time"

	"github.com/agentos-go/agentos/internal/validate"
	"github.com/agentos-go/agentos/toolkit"
)

// Types whose JSON is not what their kind suggests.
type (
	word   string
	octet  byte
	grade  byte
	raw    struct{ json string }
	number struct{ n int }
	Tree   struct {
		Name  word             `json:"name"`
		Next  *Tree            `json:"next"`
		Kids  []Tree           `json:"kids"`
		Named map[string]*Tree `json:"named"`
	}
	base struct {
		ID int `json:"id"`
	}
	wide struct {
		base
		*Tree
		Time     time.Time          `json:"time"`
		Took     time.Duration      `json:"took"`
		Number   json.Number        `json:"number"`
		Any      any                `json:"any"`
		Raw      json.RawMessage    `json:"raw"`
		Bytes    []byte             `json:"bytes"`
		Octets   []octet            `json:"octets"`
		Array    [2]uint8           `json:"array"`
		Deep     ***int             `json:"deep"`
		Omitted  **int              `json:"omitted,omitempty"`
		Zero     *base              `json:"zero,omitzero"`
		Map      map[word][]*word   `json:"map"`
		Float    float32            `json:"float"`
		Big      *big.Int           `json:"big"`
		Address  netip.Addr         `json:"address"`
		Address2 *netip.Addr        `json:"address2"`
		Own      raw                `json:"own"`
		Text     number             `json:"text"`
		Texts    map[string]number  `json:"texts"`
		Empty    struct{}           `json:"empty"`
		Lists    [][]map[string]any `json:"lists"`
	}
)

// MarshalJSON is any JSON.
func (r raw) MarshalJSON() ([]byte, error) { return []byte(r.json), nil }

// MarshalText is a letter, so that a list of grades is no bytes.
func (g grade) MarshalText() ([]byte, error) { return []byte{'a' + byte(g)}, nil }

// MarshalText is text.
func (n number) MarshalText() ([]byte, error) { return fmt.Append(nil, n.n), nil }

// own is the schema of a tool that returns the value, and what it returns as JSON.
func own[T any](t *testing.T, value T) (*toolkit.Schema, []byte) {
	t.Helper()
	tool := toolkit.Func(toolkit.Spec{Name: "x"}, func(context.Context, struct{}) (T, error) { return value, nil })
	cmd, err := tool.Command()
	if err != nil {
		t.Fatalf("%T: %v", value, err)
	}
	out, err := tool.Run(t.Context(), &struct{}{})
	if err != nil {
		t.Fatalf("%T: %v", value, err)
	}
	if typed, ok := out.(interface{ Schema() *toolkit.Schema }); !ok || typed.Schema() != cmd.Body.Result {
		t.Errorf("%T: the result does not say that it is written by the tool's schema", value)
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatalf("%T: %v", value, err)
	}
	return cmd.Body.Result, data
}

// fits fails when the value's JSON breaks the schema of its type.
func fits[T any](t *testing.T, value T) {
	t.Helper()
	source, data := own(t, value)
	schema, err := validate.Compile(source, nil)
	if err != nil {
		t.Fatalf("%T: %v", value, err)
	}
	if report := schema.Validate(data); report != nil {
		t.Errorf("%T: %s: %s", value, data, report.Message())
	}
}

// TestResultsFitTheSchemaOfTheirType is why the host does not look at results of
// toolkit.Func again.
func TestResultsFitTheSchemaOfTheirType(t *testing.T) {
	one, text := 1, word("x")
	pointer := &one
	pointers := &pointer
	var none *int
	full := wide{
		base: base{1}, Tree: &Tree{Name: "t", Next: &Tree{}, Kids: []Tree{{}}, Named: map[string]*Tree{"a": nil, "b": {}}},
		Time: time.Unix(1, 5), Took: time.Hour, Number: "1e400", Any: map[string]any{"a": []any{nil}}, Raw: json.RawMessage(`[1]`),
		Bytes: []byte{1}, Octets: []octet{1}, Deep: &pointers, Omitted: &pointer, Zero: &base{},
		Map: map[word][]*word{"a": {nil, &text}}, Float: 1e30, Big: big.NewInt(5), Address: netip.MustParseAddr("::1"),
		Own: raw{`null`}, Text: number{5}, Texts: map[string]number{"a": {}}, Lists: [][]map[string]any{nil, {nil, {"a": 1}}},
	}
	fits(t, full)
	fits(t, wide{Number: "0", Own: raw{`[]`}})
	fits(t, wide{Omitted: &none, Own: raw{`1`}})
	fits(t, &full)
	fits(t, (*wide)(nil))
	fits(t, []wide{})
	fits(t, []wide(nil))
	fits(t, map[string][]int{"a": nil})
	fits(t, map[string]int(nil))
	fits(t, any(nil))
	fits(t, "text")
	fits(t, 5)
	fits(t, false)
	fits(t, []byte(nil))
	fits(t, time.Time{})
	fits(t, raw{`{"a":1}`})
	fits(t, []grade{1, 2})
	fits(t, []grade(nil))
	fits(t, struct{}{})
}
