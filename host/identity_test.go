package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// whoami is a toolkit "t" whose tool "run" tells the guest and its generation.
func whoami() *toolkit.Toolkit {
	return tool(toolkit.Spec{}, func(ctx context.Context) (any, error) {
		g := toolkit.CallFrom(ctx).Guest
		return fmt.Sprintf("%s %d", g.ID, g.Generation), nil
	})
}

// shared serves a listener that guests share, and returns how a CID connects.
func shared(t *testing.T, h *host.Host, anyCID bool) func(cid uint32) *peer {
	t.Helper()
	l, connect := transport.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- h.ServeShared(ctx, l, anyCID) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return func(cid uint32) *peer {
		t.Helper()
		conn, err := connect(t.Context(), transport.Peer{CID: cid, UID: -1, PID: -1})
		if err != nil {
			t.Fatalf("dial as CID %d: %v", cid, err)
		}
		t.Cleanup(func() { conn.Close() })
		return &peer{t: t, raw: conn, wire: wire.NewConn(conn)}
	}
}

// name is what whoami says to the peer.
func (p *peer) name(id string) string {
	p.t.Helper()
	p.open("t")
	p.call(id, "{}")
	return strings.Trim(string(p.finish().Result), `"`)
}

// closed reports whether the host closes the connection without a word.
func (p *peer) closed() bool {
	n, err := p.raw.Read(make([]byte, 1))
	return n == 0 && errors.Is(err, io.EOF)
}

func addGuest(t *testing.T, h *host.Host, g host.Guest) {
	t.Helper()
	if err := h.AddGuest(t.Context(), g); err != nil {
		t.Fatal(err)
	}
}

// refuses checks that a guest cannot be added, and what the error says.
func refuses(t *testing.T, h *host.Host, g host.Guest, says ...string) {
	t.Helper()
	err := h.AddGuest(t.Context(), g)
	if err == nil {
		t.Fatalf("AddGuest(%+v) = nil, want an error", g)
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("AddGuest(%+v) = %q, want it to say %q", g, err, part)
		}
	}
}

// Who a guest is does not come from what it says.
func TestSec_T01(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}})
	connectAs := shared(t, h, false)
	addGuest(t, h, host.Guest{ID: "victim", CID: 7})
	addGuest(t, h, host.Guest{ID: "liar", CID: 8})

	if got := connectAs(7).name("k"); got != "victim 1" { // the control
		t.Fatalf("CID 7 is %q, want victim 1", got)
	}
	p := connectAs(8)
	frames := wire.AppendFrame(nil, wire.Frame{Type: 1, Payload: []byte(`{"v":[1],"want":"command","toolkit":"t","guest":"victim","cid":7,"generation":1}`)})
	if _, err := p.raw.Write(frames); err != nil {
		t.Fatal(err)
	}
	receive[*wire.Present](p)
	p.call("k", "{}") // the victim's id
	if r := p.finish(); string(r.Result) != `"liar 2"` || r.Replayed {
		t.Errorf("result = %+v, want the liar's own call", r)
	}
	forged := wire.AppendFrame(nil, wire.Frame{Type: 3, Payload: []byte(`{"id":"j","toolkit":"t","path":["run"],"input":{},"guest":"victim"}`)})
	if _, err := p.raw.Write(forged); err != nil {
		t.Fatal(err)
	}
	if msg, err := p.wire.Receive(); err == nil || !strings.Contains(err.Error(), "guest") {
		t.Errorf("a CALL that names a guest: %v, %v, want it refused", msg, err)
	}
}

// Strangers are heard of, and do not fill the log.
func TestStrangersAreLoggedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}, Log: slog.New(slog.NewTextHandler(&log, nil))})
		connectAs := shared(t, h, false)
		turnedAway := func(times int) {
			for range times {
				if _, err := connectAs(9).wire.Receive(); err == nil {
					t.Error("a stranger is answered")
				}
			}
			synctest.Wait()
		}
		turnedAway(100)
		time.Sleep(10 * time.Second)
		turnedAway(1)
		if said := log.String(); strings.Count(said, "stranger") != 2 || !strings.Contains(said, "CID 9 is no guest's") || !strings.Contains(said, "times=100") {
			t.Errorf("the log says\n%swant it twice, for 1 and for 100", said)
		}
	})
}

// Every connection that waits to be accepted is, however many there are: a flood
// at one guest's socket does not keep another guest out.
func TestSec_T03(t *testing.T) {
	dir := t.TempDir()
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}, Limits: &host.Limits{Connections: 50, ConnectRate: host.Rate{PerSecond: 100, Burst: 200}}})
	address := func(name string) string {
		return fmt.Sprintf("unix://%s?guest=%s", filepath.Join(dir, name+".sock"), name)
	}
	addGuest(t, h, host.Guest{ID: "flood", Addr: address("flood")})
	addGuest(t, h, host.Guest{ID: "quiet", Addr: address("quiet")})
	dialSocket := func(name string) (net.Conn, error) {
		conn, err := net.Dial("unix", filepath.Join(dir, name+".sock"))
		if err == nil {
			t.Cleanup(func() { conn.Close() })
		}
		return conn, err
	}
	full := false
	for range 10_000 { // more than the queue of a socket holds
		if _, err := dialSocket("flood"); err != nil {
			full = errors.Is(err, syscall.EAGAIN)
			break
		}
	}
	conn, err := dialSocket("quiet")
	if err != nil {
		t.Fatalf("beside the flood: %v", err)
	}
	p := &peer{t: t, raw: conn, wire: wire.NewConn(conn)}
	if got := p.name("k"); !strings.HasPrefix(got, "quiet ") {
		t.Errorf("the other guest is %q, want quiet", got)
	}
	if !full {
		t.Error("the flood's queue was never full: it was none")
	}
	if n := refused(h, "flood", "connections") + refused(h, "flood", "connect_rate"); n == 0 {
		t.Error("nothing was refused")
	}
}

// A CID that comes back is another guest, which inherits nothing.
func TestSec_T04(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}})
		connectAs := shared(t, h, false)
		addGuest(t, h, host.Guest{ID: "a", CID: 7})
		old := connectAs(7)
		if got := old.name("k"); got != "a 1" { // the control
			t.Fatalf("CID 7 is %q, want a 1", got)
		}
		h.RemoveGuest("a")
		if !connectAs(7).closed() {
			t.Error("a CID in quarantine was served")
		}
		if _, err := old.wire.Receive(); err == nil {
			t.Error("a removed guest's connection goes on")
		}
		refuses(t, h, host.Guest{ID: "b", CID: 7}, `CID 7 was that of guest "a"`, "ReuseCID")
		time.Sleep(10 * time.Minute)
		addGuest(t, h, host.Guest{ID: "b", CID: 7})
		p := connectAs(7)
		p.open("t")
		p.send(&wire.Attach{ID: "k"})
		if r := receive[*wire.Result](p); r.Code != toolkit.CodeCallNotFound {
			t.Errorf("attach to the former guest's call = %+v, want CALL_NOT_FOUND", r.Envelope)
		}
		p.call("k", "{}")
		if r := p.finish(); string(r.Result) != `"b 2"` || r.Replayed {
			t.Errorf("the former guest's id = %+v, want a call of its own", r)
		}
	})
}

func TestCase_B069(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}})
		connectAs := shared(t, h, false)
		addGuest(t, h, host.Guest{ID: "a", CID: 7})
		addGuest(t, h, host.Guest{ID: "c", CID: 9})
		refuses(t, h, host.Guest{ID: "b", CID: 9}, `belongs to guest "c"`)
		h.RemoveGuest("a")
		h.RemoveGuest("c")
		addGuest(t, h, host.Guest{ID: "a", CID: 7}) // the same guest again, under a new generation
		if got := connectAs(7).name("k"); got != "a 3" {
			t.Errorf("CID 7 is %q, want a 3", got)
		}
		addGuest(t, h, host.Guest{ID: "b", CID: 9, ReuseCID: true}) // on purpose
		if got := connectAs(9).name("k"); got != "b 4" {
			t.Errorf("CID 9 is %q, want b 4", got)
		}
	})
}

// A quarantine lasts as long as the old guest's connections do, however long that
// is: here a handler that does not end holds one.
func TestAQuarantineOutlastsTheConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		kit := tool(toolkit.Spec{}, func(context.Context) (any, error) { <-stuck; return nil, nil })
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		connectAs := shared(t, h, true)
		p := connectAs(7)
		p.open("t")
		p.call("k", "{}")
		receive[*wire.Accepted](p)
		if !h.RemoveGuest("cid-7") {
			t.Fatal("no guest cid-7")
		}
		time.Sleep(9 * time.Minute)
		if !connectAs(7).closed() {
			t.Error("a CID in quarantine was served")
		}
		close(stuck)
		time.Sleep(time.Minute)
		if connectAs(7).open("t").Error != nil {
			t.Error("the CID is not free after ten minutes")
		}
	})
}

func TestCase_B068(t *testing.T) {
	release := make(chan struct{})
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(release)}})
	connectAs := shared(t, h, false)
	for _, cid := range []uint32{3, 4, 100} {
		addGuest(t, h, host.Guest{ID: fmt.Sprint("vm", cid), CID: cid})
		if p := connectAs(cid).open("t"); p.Error != nil {
			t.Errorf("CID %d: %+v", cid, p.Error)
		}
	}
	for _, cid := range []uint32{1, 2, 1<<32 - 1} {
		refuses(t, h, host.Guest{ID: "x", CID: cid}, "is no guest's")
	}
	p := connectAs(100)
	p.open("t")
	p.call("k", "{}")
	receive[*wire.Accepted](p)
	addGuest(t, h, host.Guest{ID: "vm100", CID: 101}) // it comes back under another CID
	p.raw.Close()
	if !connectAs(100).closed() {
		t.Error("the former CID is served")
	}
	again := connectAs(101)
	again.open("t")
	again.send(&wire.Attach{ID: "k"})
	receive[*wire.Accepted](again)
	close(release)
	if r := receive[*wire.Result](again); string(r.Result) != "1" {
		t.Errorf("result = %+v, want that of the one run", r.Envelope)
	}
	refuses(t, h, host.Guest{ID: "vm100", CID: 101}, "already there")
}

// An unknown CID is closed at once, unless the listener takes any; then it is a
// guest of its own, whose name nobody else may have.
func TestCIDsThatNobodyRegistered(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}})
	if !shared(t, h, false)(9).closed() {
		t.Error("an unknown CID was served")
	}
	any := shared(t, h, true)
	if got := any(9).name("k"); !strings.HasPrefix(got, "cid-9 ") {
		t.Errorf("CID 9 is %q, want cid-9", got)
	}
	if !any(2).closed() {
		t.Error("the host's own CID was served")
	}
	refuses(t, h, host.Guest{ID: "cid-9"}, "cid=any")
}

// Clones of one VM have the same call ids, and are told apart by their sockets.
func TestSec_T05(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}})
	for i, clone := range []string{"vm1", "vm1-clone"} {
		client, err := guest.Dial(t.Context(), &guest.Options{Dial: h.Dialer(clone)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		answer := client.Call(t.Context(), &guest.Call{ID: "the-same", Toolkit: "t", Path: []string{"run"}})
		if want := fmt.Sprintf(`"%s %d"`, clone, i+1); string(answer.Result) != want || answer.Replayed {
			t.Errorf("%s = %+v, want %s, not replayed", clone, answer, want)
		}
	}
	// The control: within one guest the same id is the same call.
	p := dial(t, h, "vm1")
	p.call("the-same", "{}")
	if r := receive[*wire.Result](p); !r.Replayed {
		t.Errorf("the same guest's same id = %+v, want it replayed", r.Envelope)
	}
}

// The same id at the same time is one call, or a conflict.
func TestSec_T12(t *testing.T) {
	release := make(chan struct{})
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(release)}})
	first, same, other := dial(t, h, "g"), dial(t, h, "g"), dial(t, h, "g")
	first.call("k", `{"n":1}`)
	receive[*wire.Accepted](first)
	same.call("k", `{"n":1}`)
	receive[*wire.Accepted](same)
	other.call("k", `{"n":2}`)
	if r := receive[*wire.Result](other); r.Code != toolkit.CodeCallIDConflict {
		t.Errorf("another input = %+v, want CALL_ID_CONFLICT", r.Envelope)
	}
	close(release)
	for _, p := range []*peer{first, same} {
		if r := receive[*wire.Result](p); string(r.Result) != "1" {
			t.Errorf("result = %+v, want that of the one run", r.Envelope)
		}
	}
}

// A call of another guest is not there, whatever is asked of it.
func TestSec_T13_CallsOfOthers(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(closed())}})
	owner, other := dial(t, h, "owner"), dial(t, h, "other")
	owner.call("k", "{}")
	owner.finish()
	calls := func(p *peer, id string) *wire.Present {
		p.send(&wire.Open{Versions: wire.Versions(), Want: wire.WantCalls, Query: id})
		return receive[*wire.Present](p)
	}
	if p := calls(other, "k"); p.Error == nil || p.Error.Code != toolkit.CodeCallNotFound {
		t.Errorf("calls k of another = %+v, want CALL_NOT_FOUND", p)
	}
	if p := calls(other, ""); string(p.Found) != `{"calls":[]}` {
		t.Errorf("calls of another = %s, want none", p.Found)
	}
	other.send(&wire.Attach{ID: "k"})
	if r := receive[*wire.Result](other); r.Code != toolkit.CodeCallNotFound {
		t.Errorf("attach to another's = %+v, want CALL_NOT_FOUND", r.Envelope)
	}
	// The control: its owner sees it.
	if p := calls(owner, "k"); string(p.Found) != `{"calls":[{"id":"k","toolkit":"t","tool":"run","state":"completed"}]}` {
		t.Errorf("calls k of its owner = %s", p.Found)
	}
	owner.send(&wire.Attach{ID: "k"})
	if r := receive[*wire.Result](owner); string(r.Result) != "1" {
		t.Errorf("attach of its owner = %+v, want the result", r.Envelope)
	}
}

// Of many calls the latest are listed, and how many there are.
func TestCallsAreListed(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(closed())}})
	p := dial(t, h, "g")
	for i := range 25 {
		p.call(fmt.Sprint("k", i), "{}")
		p.finish()
	}
	p.send(&wire.Open{Versions: wire.Versions(), Want: wire.WantCalls})
	var list guest.CallList
	if err := json.Unmarshal(receive[*wire.Present](p).Found, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Calls) != 20 || list.Total != 25 || list.Calls[0].ID != "k24" || list.Calls[19].ID != "k5" {
		t.Errorf("list = %+v, want the latest 20 of 25", list)
	}
}

func BenchmarkAddGuest(b *testing.B) {
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{whoami()}})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	for i := range b.N {
		if err := h.AddGuest(b.Context(), host.Guest{ID: fmt.Sprint("vm", i), CID: uint32(i%1_000_000_000 + 3)}); err != nil {
			b.Fatal(err)
		}
	}
}
