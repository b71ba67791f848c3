package wire

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// PROTOCOL.md is a specification; these tests keep it true.

// section is what stands below the heading, up to the next of its level or above.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n"+heading+"\n")
	if !found {
		t.Fatalf("PROTOCOL.md has no heading %q", heading)
	}
	if end := regexp.MustCompile(`(?m)^##?#? `).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// firstCells are the first cells of the rows of all tables in the text.
func firstCells(text string) (cells []string) {
	for _, row := range regexp.MustCompile("(?m)^\\| `(.+?)` \\|").FindAllStringSubmatch(text, -1) {
		cells = append(cells, row[1])
	}
	return cells
}

func TestProtocolPage_Types(t *testing.T) {
	var got, want []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| ([A-Z]+) \|`).FindAllStringSubmatch(readFile(t, "PROTOCOL.md"), -1) {
		got = append(got, row[1]+" "+row[2])
	}
	for typ := typeOpen; typ <= typeFail; typ++ {
		want = append(want, fmt.Sprintf("%d %s", typ, typ))
	}
	if !slices.Equal(got, want) {
		t.Errorf("PROTOCOL.md lists %v, want %v", got, want)
	}
}

func TestProtocolPage_Members(t *testing.T) {
	page := readFile(t, "PROTOCOL.md")
	envelope := tags(reflect.TypeFor[Envelope]())
	for typ := typeOpen; typ <= typeFail; typ++ {
		want := tags(reflect.TypeOf(newMessage(typ, 0)).Elem())
		if typ == typeResult || typ == typeFail {
			want = want[len(envelope):] // §7 has the others
		}
		if got := firstCells(section(t, page, "### "+typ.String())); !slices.Equal(got, want) {
			t.Errorf("%s: PROTOCOL.md lists %q, want %q", typ, got, want)
		}
	}
	if got := firstCells(section(t, page, "## 7. The envelope")); !slices.Equal(got, envelope) {
		t.Errorf("envelope: PROTOCOL.md lists %q, want %q", got, envelope)
	}
	for _, part := range []reflect.Type{reflect.TypeFor[Limits](), reflect.TypeFor[Spill]()} {
		for _, name := range tags(part) {
			if !strings.Contains(page, "`"+name+"`") {
				t.Errorf("%s: PROTOCOL.md does not mention `%s`", part, name)
			}
		}
	}
}

func TestProtocolPage_Numbers(t *testing.T) {
	page := strings.ReplaceAll(readFile(t, "PROTOCOL.md"), ",", "")
	for _, number := range []int64{MaxFrame, MaxData, MaxMessage, Window, Window / 2, MaxSlots, MaxSlotName, maxCredit, maxMembers} {
		if !regexp.MustCompile(fmt.Sprintf(`\b%d\b`, number)).MatchString(page) {
			t.Errorf("PROTOCOL.md does not state %d", number)
		}
	}
}

func TestProtocolPage_ExitStatuses(t *testing.T) {
	var got, want []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z_]+) \| (\d+) \|`).FindAllStringSubmatch(readFile(t, "PROTOCOL.md"), -1) {
		got = append(got, row[1]+" "+row[2])
	}
	for _, code := range toolkit.Codes {
		want = append(want, fmt.Sprintf("%s %d", code.Name, code.Exit))
	}
	if !slices.Equal(got, want) {
		t.Errorf("PROTOCOL.md lists\n%q, want\n%q", got, want)
	}
}

func TestProtocolPage_Definitions(t *testing.T) {
	page := section(t, readFile(t, "PROTOCOL.md"), "## 8. Definitions")
	for _, part := range []reflect.Type{
		reflect.TypeFor[toolkit.Command](), reflect.TypeFor[toolkit.Globals](), reflect.TypeFor[toolkit.Body](),
		reflect.TypeFor[toolkit.Positional](), reflect.TypeFor[toolkit.Tail](), reflect.TypeFor[toolkit.Option](),
		reflect.TypeFor[toolkit.Shape](), reflect.TypeFor[toolkit.Flag](), reflect.TypeFor[toolkit.Slot](),
		reflect.TypeFor[toolkit.ErrorCase](), reflect.TypeFor[toolkit.Annotations](), reflect.TypeFor[toolkit.ExampleCase](),
		reflect.TypeFor[toolkit.Constraint](), reflect.TypeFor[toolkit.Clause](), reflect.TypeFor[toolkit.Term](),
	} {
		row := regexp.MustCompile(`(?m)^\| ` + part.Name() + ` \| .*$`).FindString(page)
		for _, name := range tags(part) {
			if !strings.Contains(row, "`"+name+"`") {
				t.Errorf("%s: PROTOCOL.md does not list `%s`", part.Name(), name)
			}
		}
	}
}

// The call that the page shows is the one that the code speaks.
func TestProtocolPage_OneCall(t *testing.T) {
	page := section(t, readFile(t, "PROTOCOL.md"), "## 9. One call")
	for _, name := range oneCall {
		dump := readFile(t, "testdata/"+name+".hex")
		_, rest, found := strings.Cut(page, "```\n"+dump+"```\n")
		if !found {
			t.Fatalf("PROTOCOL.md does not show testdata/%s.hex in its place:\n%s", name, dump)
		}
		page = rest
	}
}
