package transport

import (
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"
)

func intPointer(n int) *int { return &n }

func modePointer(m fs.FileMode) *fs.FileMode { return &m }

func TestParseListen(t *testing.T) {
	for _, test := range []struct {
		text string
		want Address
	}{
		{"vsock://:5000", Address{Scheme: "vsock", Port: 5000}},
		{"vsock://:5000?", Address{Scheme: "vsock", Port: 5000}},
		{"vsock://:5000?cid=any", Address{Scheme: "vsock", Port: 5000, AnyCID: true}},
		{"vsock://:4294967294", Address{Scheme: "vsock", Port: math.MaxUint32 - 1}},
		{"unix:///run/agentos.sock", Address{Scheme: "unix", Path: "/run/agentos.sock", Guest: "default"}},
		{"unix:///a", Address{Scheme: "unix", Path: "/a", Guest: "default"}},
		{"unix:///run/a%3Fb%25c/d", Address{Scheme: "unix", Path: "/run/a?b%c/d", Guest: "default"}},
		{"unix:///run/a.sock?guest=vm-7.a_B", Address{Scheme: "unix", Path: "/run/a.sock", Guest: "vm-7.a_B"}},
		{"unix:///run/a.sock?guest=vm7&uid=1000&gid=0&mode=660", Address{
			Scheme: "unix", Path: "/run/a.sock", Guest: "vm7",
			UID: intPointer(1000), GID: intPointer(0), Mode: modePointer(0o660),
		}},
		{"unix:///run/a.sock?mode=0600&uid=4294967294", Address{
			Scheme: "unix", Path: "/run/a.sock", Guest: "default",
			UID: intPointer(math.MaxUint32 - 1), Mode: modePointer(0o600),
		}},
		{"hybrid:///run/fc/v.sock?port=5000", Address{Scheme: "hybrid", Path: "/run/fc/v.sock", Port: 5000, Guest: "default"}},
		{"hybrid:///run/fc/v.sock?guest=vm7&port=52&uid=123&gid=100", Address{
			Scheme: "hybrid", Path: "/run/fc/v.sock", Port: 52, Guest: "vm7",
			UID: intPointer(123), GID: intPointer(100),
		}},
	} {
		t.Run(test.text, func(t *testing.T) {
			checkParse(t, ParseListen, test.text, test.want)
		})
	}
}

func TestParseDial(t *testing.T) {
	for _, test := range []struct {
		text string
		want Address
	}{
		{"vsock://2:5000", Address{Scheme: "vsock", CID: 2, Port: 5000}},
		{"vsock://1:5000", Address{Scheme: "vsock", CID: 1, Port: 5000}},
		{"vsock://4294967294:1", Address{Scheme: "vsock", CID: math.MaxUint32 - 1, Port: 1}},
		{"unix:///run/agentos.sock", Address{Scheme: "unix", Path: "/run/agentos.sock"}},
	} {
		t.Run(test.text, func(t *testing.T) {
			checkParse(t, ParseDial, test.text, test.want)
		})
	}
}

// checkParse parses the text, and once more what the address is written as.
func checkParse(t *testing.T, parse func(string) (Address, error), text string, want Address) {
	t.Helper()
	got, err := parse(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("parse %q: got %+v, %v; want %+v", text, got, err, want)
	}
	if again, err := parse(got.String()); err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("parse its String %q: got %+v, %v; want %+v", got, again, err, want)
	}
}

func TestParseListenNamesTheMistake(t *testing.T) {
	for _, test := range []struct{ text, part, form string }{
		{"", "no scheme", "unix:///DIRECTORY/NAME"},
		{"/run/agentos.sock", "no scheme", "unix:///DIRECTORY/NAME"},
		{"unix:/run/agentos.sock", "no scheme", "unix:///DIRECTORY/NAME"},
		{"tcp://127.0.0.1:5000", `unknown scheme "tcp"`, "vsock://:PORT"},
		{"VSOCK://:5000", `unknown scheme "VSOCK"`, "hybrid:///DIRECTORY/NAME?port=PORT"},
		{"pipe://", `unknown scheme "pipe"`, "unix:///DIRECTORY/NAME"},

		{"vsock://", "port:", "vsock://:PORT"},
		{"vsock://5000", "port:", "vsock://:PORT"},
		{"vsock://:", "port:", "vsock://:PORT"},
		{"vsock://:0", "port:", "vsock://:PORT"},
		{"vsock://:-1", "port:", "vsock://:PORT"},
		{"vsock://:+5", "port:", "vsock://:PORT"},
		{"vsock://:5000x", "port:", "vsock://:PORT"},
		{"vsock://:4294967295", "port:", "vsock://:PORT"},
		{"vsock://:4294967296", "port:", "vsock://:PORT"},
		{"vsock://2:5000", "cid:", "vsock://:PORT"},
		{"vsock://any:5000", "cid:", "vsock://:PORT"},
		{"vsock://:5000?cid=3", "cid:", "?cid=any"},
		{"vsock://:5000?cid=", "cid:", "?cid=any"},
		{"vsock://:5000?guest=vm7", `parameter "guest"`, "?cid=any"},
		{"vsock://:5000/x", "port:", "vsock://:PORT"},

		{"unix://", "path: missing", "unix:///DIRECTORY/NAME"},
		{"unix:///", "path: missing", "unix:///DIRECTORY/NAME"},
		{"unix://run/a.sock", `path: "run/a.sock" is not absolute`, "unix:///DIRECTORY/NAME"},
		{"unix:///run/../a.sock", `perhaps "/a.sock" is meant`, "unix:///DIRECTORY/NAME"},
		{"unix:///run//a.sock", "path:", "unix:///DIRECTORY/NAME"},
		{"unix:///run/a.sock/", "path:", "unix:///DIRECTORY/NAME"},
		{"unix:///run/a%00b", "path: holds a NUL", "unix:///DIRECTORY/NAME"},
		{"unix:///run/a%4", "path: %", "unix:///DIRECTORY/NAME"},
		{"unix:///run/a%zz", "path: %", "unix:///DIRECTORY/NAME"},
		{"unix:///a?cid=any", `parameter "cid"`, "guest=GUEST"},
		{"unix:///a?port=5000", `parameter "port"`, "guest=GUEST"},
		{"unix:///a?Guest=x", `parameter "Guest"`, "guest=GUEST"},
		{"unix:///a?guest=a&", `parameter ""`, "guest=GUEST"},
		{"unix:///a?guest=a&guest=a", `parameter "guest": given twice`, "guest=GUEST"},
		{"unix:///a?guest=", "guest:", "guest=GUEST"},
		{"unix:///a?guest=../x", "guest:", "guest=GUEST"},
		{"unix:///a?guest=.x", "guest:", "guest=GUEST"},
		{"unix:///a?guest=a%20b", "guest:", "guest=GUEST"},
		{"unix:///a?guest=" + strings.Repeat("g", 65), "guest:", "guest=GUEST"},
		{"unix:///a?uid=root", `uid: "root"`, "uid=N"},
		{"unix:///a?uid=-1", "uid:", "uid=N"},
		{"unix:///a?uid=4294967295", "uid:", "uid=N"},
		{"unix:///a?gid=", "gid:", "gid=N"},
		{"unix:///a?mode=rw", "mode:", "mode=OCTAL"},
		{"unix:///a?mode=0888", "mode:", "mode=OCTAL"},
		{"unix:///a?mode=4755", "mode:", "mode=OCTAL"},

		{"hybrid:///run/fc/v.sock", "port: missing", "hybrid:///DIRECTORY/NAME?port=PORT"},
		{"hybrid:///run/fc/v.sock?port=0", "port:", "hybrid:///DIRECTORY/NAME?port=PORT"},
		{"hybrid:///run/fc/v.sock?port=1&mode=600", `parameter "mode"`, "hybrid:///DIRECTORY/NAME?port=PORT"},
	} {
		t.Run(test.text, func(t *testing.T) {
			checkMistake(t, ParseListen, test.text, test.part, test.form)
		})
	}
}

func TestParseDialNamesTheMistake(t *testing.T) {
	for _, test := range []struct{ text, part, form string }{
		{"vsock://:5000", "AF_VSOCK ignores network namespaces", "vsock://2:5000"},
		{"vsock://5000", "port: missing", "vsock://CID:PORT"},
		{"vsock://2:0", "port:", "vsock://CID:PORT"},
		{"vsock://2:5000?cid=any", `parameter "cid"`, "vsock://CID:PORT"},
		{"vsock://0:5000", `cid: "0"`, "vsock://CID:PORT"},
		{"vsock://-1:5000", `cid: "-1"`, "vsock://CID:PORT"},
		{"vsock://4294967295:5000", `cid: "4294967295"`, "vsock://CID:PORT"},
		{"vsock://4294967298:5000", `cid: "4294967298"`, "vsock://CID:PORT"}, // 2, had it 32 bits
		{"vsock://host:5000", `cid: "host"`, "vsock://CID:PORT"},
		{"unix:///a?guest=vm7", `parameter "guest"`, "unix:///DIRECTORY/NAME"},
		{"hybrid:///run/fc/v.sock?port=5000", "hybrid is the host's end", "vsock://2:PORT"},
		{"tcp://host:5000", `unknown scheme "tcp"`, "unix:///DIRECTORY/NAME"},
	} {
		t.Run(test.text, func(t *testing.T) {
			checkMistake(t, ParseDial, test.text, test.part, test.form)
		})
	}
}

func checkMistake(t *testing.T, parse func(string) (Address, error), text, part, form string) {
	t.Helper()
	got, err := parse(text)
	if err == nil {
		t.Fatalf("parse %q: got %+v, want an error with %q", text, got, part)
	}
	if !reflect.DeepEqual(got, Address{}) {
		t.Errorf("parse %q: got %+v beside the error, want nothing", text, got)
	}
	if message := err.Error(); !strings.Contains(message, part) || !strings.Contains(message, form) {
		t.Errorf("parse %q: got error %q, want it to name %q and the form %q", text, message, part, form)
	}
}

func TestStringEscapesWhatAnAddressCannotHold(t *testing.T) {
	addr := Address{Scheme: "unix", Path: "/a b?c%d#e\x1b[1mé", Guest: "vm7"}
	const want = "unix:///a%20b%3Fc%25d%23e%1B%5B1m%C3%A9?guest=vm7"
	if got := addr.String(); got != want {
		t.Errorf("String: got %q, want %q", got, want)
	}
}

func TestSocketPathAndMode(t *testing.T) {
	for _, test := range []struct {
		text, path string
		mode       fs.FileMode
	}{
		{"unix:///d/s", "/d/s", 0o600},
		{"unix:///d/s?uid=7", "/d/s", 0o600},
		{"unix:///d/s?uid=7&gid=8", "/d/s", 0o600},
		{"unix:///d/s?gid=8", "/d/s", 0o660},
		{"unix:///d/s?gid=8&mode=0640", "/d/s", 0o640},
		{"hybrid:///d/v.sock?port=52", "/d/v.sock_52", 0o600},
	} {
		addr, err := ParseListen(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if path, mode := addr.socketPath(), addr.socketMode(); path != test.path || mode != test.mode {
			t.Errorf("%s: got socket %s of mode %04o, want %s of mode %04o", test.text, path, mode, test.path, test.mode)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"vsock://:5000?cid=any", "vsock://2:5000", "unix:///run/a%3Fb?guest=vm7&uid=1&gid=2&mode=0660",
		"hybrid:///run/fc/v.sock?port=5000", "tcp://x", "unix:///%", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, parse := range map[string]func(string) (Address, error){"ParseListen": ParseListen, "ParseDial": ParseDial} {
			first, err := parse(text)
			if err != nil {
				continue
			}
			second, err := parse(first.String())
			if err != nil || !reflect.DeepEqual(first, second) {
				t.Errorf("%s(%q): got %+v; its String %q reads as %+v, %v", name, text, first, first, second, err)
			}
		}
	})
}
