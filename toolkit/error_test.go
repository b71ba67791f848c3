package toolkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestErrorsAreComparedByCode(t *testing.T) {
	notFound := DeclareError("NOT_FOUND", Usage, 3, "no such city")
	for _, row := range []struct {
		name string
		err  error
		want bool
	}{
		{"itself", notFound, true},
		{"an occurrence", notFound.Errorf("no city %q", "x"), true},
		{"with details", notFound.With([]string{"Paris"}), true},
		{"wrapped", fmt.Errorf("call: %w", notFound), true},
		{"the same code from elsewhere", &Error{Code: "NOT_FOUND"}, true},
		{"another code", &Error{Code: "GONE"}, false},
		{"the same text", errors.New("NOT_FOUND: no such city"), false},
	} {
		if got := errors.Is(row.err, notFound); got != row.want {
			t.Errorf("%s: got %t, want %t", row.name, got, row.want)
		}
	}
}

// TestOccurrencesLeaveTheDeclaration as it was.
func TestOccurrencesLeaveTheDeclaration(t *testing.T) {
	declared := DeclareError("NOT_FOUND", Usage, 3, "no such city")
	occurred := declared.Errorf("no city %q", "x").With(map[string]int{"near": 2})
	if declared.Message != "no such city" || declared.Details != nil {
		t.Errorf("declaration: got %+v, want it unchanged", declared)
	}
	if got, want := occurred.Error(), `NOT_FOUND: no city "x"`; got != want || occurred.Details == nil {
		t.Errorf("occurrence: got %s with %v, want %s with details", got, occurred.Details, want)
	}
}

// TestCase_B039: an exit status that a shell could mistake never gets out.
func TestCase_B039(t *testing.T) {
	for _, row := range []struct {
		code string
		exit int
		want int
	}{
		{"X", 0, 1}, {"X", 1, 1}, {"X", 2, 1}, {"X", 3, 3}, {"X", 63, 63}, {"X", 64, 1},
		{"X", 127, 1}, {"X", 137, 1}, {"X", 256, 1}, {"X", -1, 1},
		{CodeTimeout, 5, 124}, {CodeUsageError, 0, 2},
	} {
		if got := (&Error{Code: row.code, Exit: row.exit}).ExitStatus(); got != row.want {
			t.Errorf("%s with exit %d: got %d, want %d", row.code, row.exit, got, row.want)
		}
	}
}

func TestProblems(t *testing.T) {
	want := []Problem{{Path: "city", Expected: "string"}}
	for _, row := range []struct {
		name    string
		details any
		want    []Problem
	}{
		{"as they were made", want, want},
		{"as they arrive in the guest", json.RawMessage(`[{"path":"city","expected":"string"}]`), want},
		{"a declared error's payload", json.RawMessage(`{"near":["Paris"]}`), nil},
		{"none", nil, nil},
	} {
		if got := (&Error{Details: row.details}).Problems(); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}
