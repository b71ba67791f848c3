package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/wire"
)

// The tests named Skew hold the host and the shim of today against those of other
// releases, which are played from bytes: testdata/skew/README.md says where they
// come from, and that they never change.
//
//	skew_shims_test.go   a shim of another release before a host of today
//	skew_hosts_test.go   a host of another release before a shim of today
//	skew_player_test.go  who plays them
//	skew_run_test.go     how the shim of today is run
//	skew_kit_test.go     the toolkit that they call

// vectorsOf are the vectors that the moves say.
func vectorsOf(moves []move) (names []string) {
	for _, m := range moves {
		if m.say != "" {
			names = append(names, m.say)
		}
	}
	return names
}

// Every vector is said in a scene of its own side, and nobody says what is not
// frozen.
func TestSkew_EveryVectorIsSaid(t *testing.T) {
	said := map[string]bool{}
	say := func(side, scene string, moves []move) {
		for _, name := range vectorsOf(moves) {
			if said[name] = true; !strings.HasPrefix(name, side) {
				t.Errorf("%s: says %s, which is not of %s", scene, name, side)
			}
		}
	}
	for _, s := range slices.Concat(olderShims, newerShims) {
		say("shim", s.name, s.moves)
	}
	for _, s := range slices.Concat(olderHosts, newerHosts, clientHosts) {
		say("host", s.name, s.moves)
	}
	for _, name := range frozenVectors(t) {
		if !said[name] {
			t.Errorf("%s.hex is in no scene", name)
		}
	}
}

// frozenVectors are the names of all vectors.
func frozenVectors(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(skewVectors, "*.hex"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s: %v", skewVectors, err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".hex"))
	}
	return names
}

// Every message of the protocol is among the vectors of each release, from each side
// that sends it.
func TestSkew_EveryMessageIsSaid(t *testing.T) {
	said := map[string]map[wire.Type]bool{"shim1": {}, "host1": {}, "shim2": {}, "host2": {}}
	for _, name := range frozenVectors(t) {
		program, _, _ := strings.Cut(name, "-")
		data, err := readVector(name)
		if err != nil || said[program] == nil {
			t.Errorf("%s: %v, program %q", name, err, program)
			continue
		}
		types, err := typesIn(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, typ := range types {
			said[program][typ] = true
		}
	}
	senders := sendersOf(t)
	for typ := range messageTypes() {
		from := senders[typ.String()]
		if from == nil {
			t.Errorf("PROTOCOL.md does not say who sends %s", typ)
		}
		for _, side := range from {
			for _, release := range []string{"1", "2"} {
				if !said[side+release][typ] {
					t.Errorf("no vector of %s%s has %s", side, release, typ)
				}
			}
		}
	}
}

// typesIn are the types of the frames, which have to be whole.
func typesIn(data []byte) (types []wire.Type, err error) {
	for in := bytes.NewReader(data); ; {
		f, err := wire.ReadFrame(in, nil)
		if errors.Is(err, io.EOF) {
			return types, nil
		}
		if err != nil {
			return types, err
		}
		types = append(types, f.Type)
	}
}

// messageTypes are the types that have a name.
func messageTypes() map[wire.Type]bool {
	known := map[wire.Type]bool{}
	for n := range 256 {
		if typ := wire.Type(n); typ.String() != fmt.Sprintf("type %d", n) {
			known[typ] = true
		}
	}
	return known
}

// sendersOf are the sides that send each message, by the table of PROTOCOL.md.
func sendersOf(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../wire/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	sides := map[string][]string{"guest": {"shim"}, "host": {"host"}, "both": {"shim", "host"}}
	senders := map[string][]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| \d+ \| ([A-Z]+) \| (guest|host|both) \|`).FindAllStringSubmatch(string(page), -1) {
		senders[row[1]] = sides[row[2]]
	}
	return senders
}

// The control: one damaged byte, whichever it is, spoils a scene.
func TestSkew_ADamagedByteIsNoticed(t *testing.T) {
	shim := pick(t, olderShims, func(s scene) bool { return s.name == "a call" })
	host := pick(t, olderHosts, func(s hostScene) bool { return s.name == "a call" })
	for _, c := range []struct {
		vector string
		play   func(edit func(string, []byte)) error
	}{
		{"shim1-echo-1-open", func(edit func(string, []byte)) error { return playShim(t, shim, edit) }},
		{"shim1-echo-2-call", func(edit func(string, []byte)) error { return playShim(t, shim, edit) }},
		{"host1-echo-1-present", func(edit func(string, []byte)) error { return playHost(t, host, edit) }},
		{"host1-echo-2-accepted-note-result", func(edit func(string, []byte)) error { return playHost(t, host, edit) }},
	} {
		whole, err := readVector(c.vector)
		if err != nil {
			t.Fatal(err)
		}
		for at := range whole {
			err := c.play(func(vector string, data []byte) {
				if vector == c.vector {
					data[at] ^= 0x80 // which no JSON survives, nor a header
				}
			})
			if err == nil {
				t.Errorf("%s with byte %d damaged: all was well", c.vector, at)
			}
		}
		if err := c.play(nil); err != nil {
			t.Errorf("%s undamaged: %v", c.vector, err)
		}
	}
}

// pick is the one scene that is meant.
func pick[S any](t *testing.T, scenes []S, isIt func(S) bool) *S {
	t.Helper()
	i := slices.IndexFunc(scenes, isIt)
	if i < 0 {
		t.Fatal("the scene is gone")
	}
	return &scenes[i]
}

// The control: a peer that says less, more or something else spoils a scene.
func TestSkew_AnotherAnswerIsNoticed(t *testing.T) {
	open := says("shim1-echo-1-open")
	for name, moves := range map[string][]move{
		"another type":    {open, hears(TypeResult, `{}`)},
		"another value":   {open, hears(TypePresent, `{"v":2}`)},
		"a member less":   {open, hears(TypePresent, `{"tomorrow":"*"}`)},
		"an element less": {open, hears(TypePresent, `{"definition":{"commands":[{},{}]}}`)},
		"an empty member": {says("shim1-calls-1-open"), hears(TypePresent, `{"found":{"calls":"*"},"text":"*"}`)},
		"one more":        {open},
		"silence":         {open, hears(TypePresent, `{}`), hears(TypePresent, `{}`)},
		"no end":          {open, ended},
		"no bytes":        {open, hears(TypePresent, `{}`), gets(wire.Stdout, "")},
	} {
		t.Run(name, func(t *testing.T) {
			if err := playShim(t, &scene{name: name, moves: moves}, nil); err == nil {
				t.Error("all was well, want an error")
			}
		})
	}
}
