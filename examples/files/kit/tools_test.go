package kit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestToolkit(t *testing.T) {
	kit, err := Toolkit(newTree(t))
	must(t, err)
	tests := []struct{ tool, input, want string }{
		{"list", `{"path":"docs"}`, `{"entries":[{"name":"a","type":"directory","size":0},{"name":"plan.md","type":"file","size":23}]}`},
		{"read", `{"path":"notes.txt","max_bytes":4}`, `{"text":"one\n","size":8,"truncated":true}`},
		{"search", `{"text":"again","path":".","max":50}`, `{"matches":[{"path":"docs/a/deep.md","line":1,"text":"budget, again"}],"skipped":0}`},
		{"search", `{"text":"nothing","path":"docs","max":50}`, `{"matches":[],"skipped":0}`},
	}
	for _, test := range tests {
		got, err := call(t, kit, test.tool, test.input)
		if err != nil || got != test.want {
			t.Errorf("%s %s = %s, %v; want %s", test.tool, test.input, got, err, test.want)
		}
	}
}

func TestList(t *testing.T) {
	dir := newTree(t)
	must(t, os.Symlink("notes.txt", filepath.Join(dir, "shortcut")))
	for way, r := range both(t, dir) {
		t.Run(way, func(t *testing.T) {
			got, err := r.list(context.Background(), ListArgs{Path: "."})
			want := Listing{Entries: []Entry{
				{"docs", "directory", 0}, {"empty", "file", 0}, {"notes.txt", "file", 8}, {"shortcut", "link", 0}}}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("list = %+v, %v; want %+v", got, err, want)
			}
			_, err = r.list(context.Background(), ListArgs{Path: "notes.txt"})
			wantCode(t, err, notADir)
		})
	}
}

func TestListOfNothing(t *testing.T) {
	dir := newTree(t)
	must(t, os.Mkdir(filepath.Join(dir, "bare"), 0o755))
	kit, err := Toolkit(dir)
	must(t, err)
	got, err := call(t, kit, "list", `{"path":"bare"}`)
	if want := `{"entries":[]}`; err != nil || got != want {
		t.Errorf("list = %s, %v; want %s", got, err, want)
	}
}

func TestListIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range maxEntries + 1 {
		write(t, filepath.Join(dir, fmt.Sprintf("f%04d", i)), "")
	}
	got, err := native(t, dir).list(context.Background(), ListArgs{Path: "."})
	if err != nil || len(got.Entries) != maxEntries || !got.Truncated {
		t.Errorf("list = %d entries, truncated %v, %v; want %d, true", len(got.Entries), got.Truncated, err, maxEntries)
	}
}

func TestRead(t *testing.T) {
	dir := newTree(t)
	write(t, filepath.Join(dir, "euro"), "a€b")
	tests := []struct {
		name string
		max  int64
		want Content
	}{
		{"notes.txt", 100, Content{Text: "one\ntwo\n", Size: 8}},
		{"notes.txt", 8, Content{Text: "one\ntwo\n", Size: 8}},
		{"notes.txt", 7, Content{Text: "one\ntwo", Size: 8, Truncated: true}},
		{"empty", 1, Content{}},
		{"euro", 5, Content{Text: "a€b", Size: 5}},
		{"euro", 4, Content{Text: "a€", Size: 5, Truncated: true}},
		{"euro", 3, Content{Text: "a", Size: 5, Truncated: true}}, // no half rune
		{"euro", 2, Content{Text: "a", Size: 5, Truncated: true}},
	}
	r := native(t, dir)
	for _, test := range tests {
		got, err := r.read(context.Background(), ReadArgs{Path: test.name, MaxBytes: test.max})
		if err != nil || got != test.want {
			t.Errorf("read %s, %d bytes = %+v, %v; want %+v", test.name, test.max, got, err, test.want)
		}
	}
}

func TestReadOfWhatIsNoText(t *testing.T) {
	dir := newTree(t)
	write(t, filepath.Join(dir, "latin1"), "caf\xe9\n")
	write(t, filepath.Join(dir, "binary"), "ELF\x00\x01")
	r := native(t, dir)
	for _, name := range []string{"latin1", "binary"} {
		_, err := readAll(r, name)
		wantCode(t, err, notText)
	}
	_, err := readAll(r, "docs")
	wantCode(t, err, notAFile)
}

// A file of a terabyte costs no more than what is read of it.
func TestReadOfAHugeFile(t *testing.T) {
	dir := newTree(t)
	name := filepath.Join(dir, "huge")
	write(t, name, strings.Repeat("x", 4096))
	must(t, os.Truncate(name, 1<<40))
	r := native(t, dir)
	got, err := r.read(context.Background(), ReadArgs{Path: "huge", MaxBytes: 10})
	if want := (Content{Text: "xxxxxxxxxx", Size: 1 << 40, Truncated: true}); err != nil || got != want {
		t.Errorf("read = %+v, %v; want %+v", got, err, want)
	}
	found, err := r.search(context.Background(), SearchArgs{Text: "budget", Path: ".", Max: 10})
	if err != nil || len(found.Matches) != 2 || found.Skipped != 1 {
		t.Errorf("search = %+v, %v; want 2 matches, 1 skipped", found, err)
	}
}

func TestSearch(t *testing.T) {
	dir := newTree(t)
	write(t, filepath.Join(dir, "binary"), "budget\x00\n")
	write(t, filepath.Join(dir, "mixed"), "budget first\nthen \xff\nbudget lost\n")
	write(t, filepath.Join(dir, "wide"), strings.Repeat("w", maxLine+1)+" budget\n")
	deep := Match{"docs/a/deep.md", 1, "budget, again"}
	plan := Match{"docs/plan.md", 2, "the budget is 3"}
	mixed := Match{"mixed", 1, "budget first"}
	tests := []struct {
		rule string
		in   SearchArgs
		want Found
	}{
		{"by path, then line", SearchArgs{"budget", ".", 50}, Found{Matches: []Match{deep, plan, mixed}, Skipped: 3}},
		{"below a directory", SearchArgs{"budget", "docs/a", 50}, Found{Matches: []Match{deep}}},
		{"in one file", SearchArgs{"budget", "docs/plan.md", 50}, Found{Matches: []Match{plan}}},
		{"in one file that is no text", SearchArgs{"budget", "binary", 50}, Found{Skipped: 1}},
		{"no match", SearchArgs{"nothing", "docs", 50}, Found{}},
		{"the text is no pattern", SearchArgs{"b.dget", "docs", 50}, Found{}},
		{"case counts", SearchArgs{"Budget", "docs", 50}, Found{}},
		{"up to max", SearchArgs{"budget", "docs", 1}, Found{Matches: []Match{deep}, Truncated: true}},
	}
	for way, r := range both(t, dir) {
		for _, test := range tests {
			t.Run(way+" "+test.rule, func(t *testing.T) {
				got, err := r.search(context.Background(), test.in)
				if err != nil || !reflect.DeepEqual(got, test.want) {
					t.Errorf("search %+v = %+v, %v; want %+v", test.in, got, err, test.want)
				}
			})
		}
	}
	_, err := native(t, dir).search(context.Background(), SearchArgs{"budget", "nope", 50})
	wantCode(t, err, notFound)
}

// Each limit ends the search with what was found so far, and says so.
func TestSearchIsBounded(t *testing.T) {
	dir := newTree(t)
	must(t, os.Symlink("plan.md", dir+"/docs/z")) // skipped, when the search comes that far
	r := native(t, dir)
	deep := Match{"docs/a/deep.md", 1, "budget, again"} // 14 bytes
	plan := Match{"docs/plan.md", 2, "the budget is 3"}
	tests := []struct {
		limit string
		hunt  hunt
		want  Found
	}{
		{"none reached", hunt{matches: 9, names: 4, bytes: 999}, Found{Matches: []Match{deep, plan}, Skipped: 1}},
		{"matches", hunt{matches: 1, names: 9, bytes: 999}, Found{Matches: []Match{deep}, Truncated: true}},
		{"bytes", hunt{matches: 9, names: 9, bytes: 14}, Found{Matches: []Match{deep}, Truncated: true}},
		{"names", hunt{matches: 9, names: 0, bytes: 999}, Found{Truncated: true}},
		{"names, further down", hunt{matches: 9, names: 3, bytes: 999}, Found{Matches: []Match{plan}, Skipped: 1, Truncated: true}},
	}
	for _, test := range tests {
		t.Run(test.limit, func(t *testing.T) {
			h := test.hunt
			h.root, h.text = r, []byte("budget")
			err := h.walk(context.Background(), "docs")
			if err != nil || !reflect.DeepEqual(h.found, test.want) {
				t.Errorf("found %+v, %v; want %+v", h.found, err, test.want)
			}
		})
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("€", 100) + "budget" + strings.Repeat("y", 300) // 606 bytes
	tests := []struct{ rule, line, want string }{
		{"a short line is whole", "the budget is 3", "the budget is 3"},
		{"a long one is cut at runes", long, "…" + strings.Repeat("€", 33) + "budget" + strings.Repeat("y", 194) + "…"},
		{"at its end only", "budget" + strings.Repeat("y", 300), "budget" + strings.Repeat("y", 294) + "…"},
		{"at its start only", strings.Repeat("x", 300) + "budget", "…" + strings.Repeat("x", 100) + "budget"},
	}
	for _, test := range tests {
		if got := excerpt([]byte(test.line), strings.Index(test.line, "budget")); got != test.want {
			t.Errorf("%s: excerpt = %q, want %q", test.rule, got, test.want)
		}
	}
}

func TestCancelled(t *testing.T) {
	r := native(t, newTree(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.list(ctx, ListArgs{Path: "."}); !errors.Is(err, context.Canceled) {
		t.Errorf("list = %v, want %v", err, context.Canceled)
	}
	for _, name := range []string{".", "notes.txt"} {
		if _, err := r.search(ctx, SearchArgs{"budget", name, 50}); !errors.Is(err, context.Canceled) {
			t.Errorf("search %s = %v, want %v", name, err, context.Canceled)
		}
	}
}

// A name that is no UTF-8 is shown, with marks for its bad bytes.
func TestNameThatIsNoText(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/caf\xe9", []byte("budget\n"), 0o644); err != nil {
		t.Skipf("this file system takes no such name: %v", err)
	}
	r := native(t, dir)
	listing, err := r.list(context.Background(), ListArgs{Path: "."})
	if want := (Entry{"caf\uFFFD", "file", 7}); err != nil || len(listing.Entries) != 1 || listing.Entries[0] != want {
		t.Errorf("list = %+v, %v; want %+v", listing, err, want)
	}
	found, err := r.search(context.Background(), SearchArgs{"budget", ".", 50})
	if want := (Match{"caf\uFFFD", 1, "budget"}); err != nil || len(found.Matches) != 1 || found.Matches[0] != want {
		t.Errorf("search = %+v, %v; want %+v", found, err, want)
	}
}
