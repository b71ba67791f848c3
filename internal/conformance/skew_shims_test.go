package conformance

import (
	"testing"
	"testing/synctest"

	"github.com/agentos-go/agentos/internal/wire"
)

// scene is a conversation of a shim of another release with a host of today.
type scene struct {
	name  string
	moves []move
	// runs is how often a handler ran in the end.
	runs int
}

var (
	// waits until the tool wait has begun, and releases it.
	waits    = does(func(p *player) { <-p.kit.waiting })
	releases = does(func(p *player) { close(p.kit.released) })
)

// presented is what a shim needs of a PRESENT before it can call.
const presented = `{"v":1,"epoch":"*","revision":"*","definition":{"name":"skew","commands":[{"name":"*","body":"*"}]}}`

// olderShims is all that a shim of protocol 1 said when its bytes were frozen, and
// what it needs to hear in order to go on.
var olderShims = []scene{
	{"list", []move{
		says("shim1-list-1-open"), hears(TypePresent, `{"v":1,"epoch":"*","definitions":[{"name":"skew","summary":"*","commands":"*"}]}`),
	}, 0},
	{"search", []move{
		says("shim1-search-1-open"), hears(TypePresent, `{"v":1,"text":"*","found":{"total":2,"tools":[
			{"toolkit":"skew","tool":"*","signature":"*","description":"*"},{"toolkit":"skew","tool":"*","description":"*"}]}}`),
	}, 0},
	{"prompt", []move{
		says("shim1-prompt-1-open"), hears(TypePresent, `{"v":1,"text":"*"}`),
	}, 0},
	{"describe", []move{
		says("shim1-describe-1-open"), hears(TypePresent, presented),
	}, 0},
	{"command", []move{
		says("shim1-help-1-open"), hears(TypePresent, presented),
	}, 0},
	{"calls", []move{
		says("shim1-echo-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-echo-2-call"), hears(TypeAccepted, `{}`), hears(TypeResult, `{"ok":true}`),
		redials,
		says("shim1-calls-1-open"), hears(TypePresent, `{"v":1,"found":{"calls":[{"id":"skew-echo","toolkit":"skew","tool":"echo","state":"completed"}]}}`),
	}, 1},
	{"a toolkit that is not there", []move{
		says("shim1-nosuch-1-open"), hears(TypePresent, `{"v":1,"error":{"ok":false,"error":"TOOLKIT_NOT_FOUND","message":"*"}}`),
		says("shim1-list-1-open"), hears(TypePresent, `{"v":1,"definitions":"*"}`),
	}, 0},
	{"a call", []move{
		says("shim1-echo-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-echo-2-call"),
		hears(TypeAccepted, `{"id":"skew-echo"}`),
		hears(TypeNote, `{"kind":"progress","text":"half way"}`),
		hears(TypeResult, `{"ok":true,"result":"hello","exit":0}`),
		says("shim1-echo-3-ack"),
		says("shim1-echo-1-open"), hears(TypePresent, presented), // the connection is kept
	}, 1},
	{"the same call again", []move{
		says("shim1-echo-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-echo-2-call"), hears(TypeAccepted, `{}`), hears(TypeResult, `{"ok":true}`),
		redials,
		says("shim1-echo-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-echo-2-call"), hears(TypeResult, `{"ok":true,"result":"hello","replayed":true,"exit":0}`),
		says("shim1-echo-3-ack"),
	}, 1},
	{"a call that fails", []move{
		says("shim1-find-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-find-2-call"), hears(TypeAccepted, `{"id":"skew-find"}`),
		hears(TypeResult, `{"ok":false,"error":"NOT_FOUND","message":"there is no such thing","exit":3}`),
		says("shim1-find-3-ack"),
	}, 1},
	{"a dry run", []move{
		says("shim1-dry-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-dry-2-call"), hears(TypeResult, `{"ok":true,"dry_run":true,"exit":0}`),
		says("shim1-dry-3-ack"),
	}, 0},
	{"a call for a definition of yesterday", []move{
		says("shim1-stale-1-open"), hears(TypePresent, presented),
		says("shim1-stale-2-call"), hears(TypePresent, presented), // and nothing has run
	}, 0},
	{"streams", []move{
		says("shim1-copy-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-copy-2-call"), hears(TypeAccepted, `{"id":"skew-copy"}`),
		says("shim1-copy-3-data-end"), hears(TypeResult, `{"ok":true,"result":11,"exit":0}`),
		gets(wire.Stdout, "some bytes\n"), gets(wire.Stderr, "copying\n"),
		says("shim1-copy-4-ack"),
	}, 1},
	{"files", []move{
		says("shim1-pack-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-pack-2-call"), hears(TypeAccepted, `{"id":"skew-pack"}`),
		says("shim1-pack-3-data-end"), hears(TypeResult, `{"ok":true,"result":["a.txt 7 text/plain a file\n"],"exit":0}`),
		gets(5, "a file\n"), // the second file that CALL names
		says("shim1-pack-4-ack"),
	}, 1},
	{"stdin that is not taken", []move{
		says("shim1-greet-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-greet-2-call"), hears(TypeAccepted, `{"id":"skew-greet"}`),
		hears(TypeResult, `{"ok":true,"exit":0}`), gets(wire.Stdout, "hello\n"), gets(wire.Stdin, ""),
		says("shim1-greet-3-ack"),
	}, 1},
	{"credit", []move{
		says("shim1-flood-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-flood-2-call"), hears(TypeAccepted, `{"id":"skew-flood"}`),
		drains(wire.Stdout, wire.Window), says("shim1-flood-3-credit"), hears(TypeResult, `{"ok":true,"result":300000,"exit":0}`),
		gets(wire.Stdout, fill(300_000)),
		says("shim1-flood-4-ack"),
	}, 1},
	{"stdout that is not taken", []move{
		says("shim1-closed-1-open"), hears(TypePresent, presented),
		says("shim1-closed-2-call"), hears(TypeAccepted, `{"id":"skew-closed"}`),
		drains(wire.Stdout, wire.MaxData), says("shim1-closed-3-end"),
		hears(TypeResult, `{"ok":false,"error":"EXECUTION_ERROR","message":"*","exit":1}`),
		says("shim1-closed-4-ack"),
	}, 1},
	{"attach after a lost link", []move{
		says("shim1-attach-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-attach-2-call"), hears(TypeAccepted, `{"id":"skew-attach"}`), waits,
		redials,
		says("shim1-attach-3-open"), hears(TypePresent, `{"v":1,"epoch":"*","found":{"calls":[{"id":"skew-attach","state":"started"}]}}`),
		says("shim1-attach-4-attach"), hears(TypeAccepted, `{"id":"skew-attach"}`),
		releases, hears(TypeResult, `{"ok":true,"result":"released","exit":0}`),
		says("shim1-attach-5-ack"),
	}, 1},
	{"streams that go on after a lost link", []move{
		says("shim1-resume-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-resume-2-call"), hears(TypeAccepted, `{"id":"skew-resume"}`),
		says("shim1-resume-3-data"), drains(wire.Stdout, len("first half, ")), drains(wire.Stderr, len("copying\n")),
		redials,
		says("shim1-resume-4-open"), hears(TypePresent, `{"v":1,"epoch":"*"}`),
		says("shim1-resume-5-attach"), hears(TypeAccepted, `{"id":"skew-resume","have":{"stdin":12}}`),
		says("shim1-resume-6-data"), says("shim1-resume-7-end"), hears(TypeResult, `{"ok":true,"result":24,"exit":0}`),
		gets(wire.Stdout, "first half, second half\n"), gets(wire.Stderr, "copying\n"),
		says("shim1-resume-8-ack"),
	}, 1},
	{"await", []move{
		says("shim1-echo-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-echo-2-call"), hears(TypeAccepted, `{}`), hears(TypeResult, `{"ok":true}`),
		redials,
		says("shim1-await-1-open"), hears(TypePresent, `{"v":1,"epoch":"*","found":{"calls":[{"id":"skew-echo"}]}}`),
		says("shim1-await-2-attach"), hears(TypeResult, `{"ok":true,"result":"hello","exit":0}`),
		says("shim1-await-3-ack"),
	}, 1},
	{"cancel", []move{
		says("shim1-cancel-1-open"), hears(TypePresent, presented),
		saysCurrent("shim1-cancel-2-call"), hears(TypeAccepted, `{"id":"skew-cancel"}`), waits,
		says("shim1-cancel-3-cancel"), hears(TypeResult, `{"ok":false,"error":"CANCELLED","message":"cancelled by the caller (interrupt)","exit":130}`),
		says("shim1-cancel-4-ack"),
	}, 1},
	{"signs of life", []move{
		says("shim1-ping-1-open"), hears(TypePresent, presented),
		says("shim1-ping-2-call"), hears(TypeAccepted, `{"id":"skew-ping"}`), waits,
		says("shim1-ping-3-ping"), hears(TypePong, `{}`),
		hears(TypePing, `{}`), says("shim1-ping-4-pong"), // after five silent seconds
		releases, hears(TypeResult, `{"ok":true,"exit":0}`),
		says("shim1-ping-5-ack"),
	}, 1},
	{"giving up", []move{
		says("shim1-fail-1-open"), hears(TypePresent, presented),
		says("shim1-fail-2-fail"), ended,
	}, 0},
}

// newerShims is what a shim may say that speaks more than protocol 1. What it offers
// to do without is ignored, what it insists on is refused by name, and a shim that
// has no version in common is told what to install.
var newerShims = []scene{
	{"an OPEN with more versions and members", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call"), hears(TypeAccepted, `{"id":"skew-new"}`), hears(TypeResult, `{"ok":true,"result":"hello","exit":0}`),
		says("shim2-ack"),
	}, 1},
	{"no version in common", []move{
		says("shim2-open-others"), hears(TypePresent, refusalToShim),
		says("shim2-open"), hears(TypePresent, presented), // the connection can be used for another OPEN
	}, 0},
	{"no version in common, and another meaning of OPEN", []move{says("shim2-open-others-differs"), hears(TypePresent, refusalToOther)}, 0},
	{"no version in common, and names of another kind", []move{says("shim2-open-others-member"), hears(TypePresent, refusalToOther)}, 0},
	{"no version in common, and no OPEN first", []move{
		says("shim2-open-others"), hears(TypePresent, refusalToShim),
		says("shim2-call"), hears(TypeFail, `{"ok":false,"error":"INTERNAL_ERROR","message":"CALL before OPEN"}`), ended,
	}, 0},
	{"an unknown want", []move{
		says("shim2-open-metrics"), hears(TypePresent, `{"v":1,"error":{"ok":false,"error":"USAGE_ERROR","message":"this host does not answer \"metrics\""}}`),
		says("shim2-open"), hears(TypePresent, presented),
	}, 0},
	{"optional frames of unknown types", []move{
		says("shim2-optional"),
		says("shim2-open"), hears(TypePresent, presented), says("shim2-optional"),
		says("shim2-call-wait"), hears(TypeAccepted, `{}`), waits, says("shim2-optional"),
		releases, hears(TypeResult, `{"ok":true}`), says("shim2-optional"),
		says("shim2-ack"), says("shim2-optional"),
		says("shim2-open"), hears(TypePresent, presented),
	}, 1},
	{"a frame of an unknown type that is to be understood", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-unknown"), hears(TypeFail, `{"ok":false,"error":"INTERNAL_ERROR","message":"protocol error: unknown type 16"}`), ended,
	}, 0},
	{"the same during a call, which can be attached to", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call-wait"), hears(TypeAccepted, `{}`), waits,
		says("shim2-unknown"), hears(TypeFail, `{"ok":false,"error":"INTERNAL_ERROR","message":"protocol error: unknown type 16"}`), ended,
		redials,
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-attach"), hears(TypeAccepted, `{"id":"skew-new"}`),
		releases, hears(TypeResult, `{"ok":true,"result":"released"}`),
	}, 1},
	{"a CALL that asks for more", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call-priority"), hears(TypeFail, `{"ok":false,"error":"INTERNAL_ERROR","message":"protocol error: CALL: priority: unknown member"}`), ended,
	}, 0},
	{"a CALL that asks for more of a file", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call-pack"), hears(TypeFail, `{"ok":false,"error":"INTERNAL_ERROR","message":"protocol error: CALL: files: from: unknown member"}`), ended,
	}, 0},
	{"members of CANCEL and ACK, and another reason", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call-wait"), hears(TypeAccepted, `{}`), waits,
		says("shim2-cancel"), hears(TypeResult, `{"ok":false,"error":"CANCELLED","message":"cancelled by the caller (battery low)","exit":130}`),
		says("shim2-ack"),
		says("shim2-open"), hears(TypePresent, presented),
	}, 1},
	{"members of END", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call-copy"), hears(TypeAccepted, `{}`),
		says("shim2-stdin"), hears(TypeResult, `{"ok":true,"result":11}`),
		gets(wire.Stdout, "some bytes\n"),
	}, 1},
	{"members of CREDIT", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call-flood"), hears(TypeAccepted, `{}`),
		drains(wire.Stdout, wire.Window), says("shim2-credit"), hears(TypeResult, `{"ok":true,"result":300000}`),
		gets(wire.Stdout, fill(300_000)),
	}, 1},
	{"members of PING and PONG", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-call-wait"), hears(TypeAccepted, `{}`), waits,
		says("shim2-ping"), hears(TypePong, `{}`),
		hears(TypePing, `{}`), says("shim2-pong"),
		releases, hears(TypeResult, `{"ok":true}`),
	}, 1},
	{"a FAIL with another code", []move{
		says("shim2-open"), hears(TypePresent, presented),
		says("shim2-fail"), ended,
		redials,
		says("shim2-open"), hears(TypePresent, presented),
	}, 0},
}

// refusalToShim is what a shim hears that speaks 98 and 99 alone. The vectors speak of
// versions so far ahead that they stay true when there is a second one.
const refusalToShim = `{"error":{"ok":false,"error":"HOST_UNREACHABLE","message":"the host speaks protocol 1, this agentos speaks 98, 99",
	"hint":"install an agentos for protocol 1 in this guest, or an agentosd for protocol 98 on the host"}}`

// refusalToOther is what a shim hears that speaks 98 alone.
const refusalToOther = `{"error":{"ok":false,"error":"HOST_UNREACHABLE","hint":"*"}}`

// playShim has a shim make the scene's moves against a host of today.
func playShim(t *testing.T, s *scene, edit func(string, []byte)) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h, kit := newSkewHost(t)
		p := &player{link: h.Dialer(guestID), kit: kit, edit: edit}
		if err = p.play(t.Context(), s.moves); err == nil {
			err = kit.check(s.runs)
		}
		_ = h.Close() // ends what the scene left running
	})
	return err
}

// A shim of another release gets from a host of today what it needs: the one of
// yesterday all that it ever got, the one of tomorrow what both know.
func TestSkew_ShimsOfOtherReleases(t *testing.T) {
	for _, set := range []struct {
		name   string
		scenes []scene
	}{{"older", olderShims}, {"newer", newerShims}} {
		for i := range set.scenes {
			s := &set.scenes[i]
			t.Run(set.name+"/"+s.name, func(t *testing.T) {
				if err := playShim(t, s, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
