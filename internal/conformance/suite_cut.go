package conformance

import (
	"fmt"
	"testing"

	"github.com/agentos-go/agentos/guest"
)

// cutCase is a link that is cut at a point.
type cutCase struct {
	point Point
	// early says that the handler need not wait for the cut; else it ends only
	// when the link is gone.
	early bool
	// dials is how many links the call takes.
	dials int
}

var cutCases = []cutCase{
	{Point{TypeOpen, false}, true, 2},
	{Point{TypeOpen, true}, true, 2},
	{Point{TypePresent, false}, true, 2},
	{Point{TypePresent, true}, true, 2},
	{Point{TypeCall, false}, true, 2},
	{Point{TypeCall, true}, false, 2},
	{Point{TypeAccepted, false}, false, 2},
	{Point{TypeAccepted, true}, false, 2},
	{Point{TypeAccepted, true}, true, 2},
	{Point{TypeResult, false}, true, 2},
	{Point{TypeResult, true}, true, 1},
	{Point{TypeAck, false}, true, 1},
	{Point{TypeAck, true}, true, 1},
}

// testCuts cuts the link at every point of a call. Whatever was lost, the call
// runs once and has one outcome.
func testCuts(t *testing.T, bridge Bridge) {
	for _, c := range cutCases {
		name := fmt.Sprintf("%s passed %v, handler done %v", c.point.Type, c.point.After, c.early)
		t.Run(name, func(t *testing.T) {
			cut := callCut(t, bridge, c.early, c.point)
			if cut.Done() != 1 || cut.Dials() != c.dials {
				t.Errorf("%d cuts, %d dials; want 1 and %d", cut.Done(), cut.Dials(), c.dials)
			}
		})
	}
}

// testCutTwice cuts the link, and the one that replaces it.
func testCutTwice(t *testing.T, bridge Bridge) {
	afterCall, afterAccepted := Point{TypeCall, true}, Point{TypeAccepted, true}
	for _, points := range [][]Point{
		{afterCall, afterCall},
		{afterCall, afterAccepted},
		{afterAccepted, Point{TypeOpen, true}},
		{afterAccepted, Point{TypePresent, false}},
		{afterAccepted, Point{TypeAttach, true}},
		{afterAccepted, afterAccepted, afterAccepted},
	} {
		t.Run(fmt.Sprintf("%v", points), func(t *testing.T) {
			cut := callCut(t, bridge, false, points...)
			if want := len(points); cut.Done() != want || cut.Dials() != want+1 {
				t.Errorf("%d cuts, %d dials; want %d and one more", cut.Done(), cut.Dials(), want)
			}
		})
	}
}

// callCut calls a tool over links that are cut at the points, and checks that it
// ran once, with the outcome that it has. An early handler does not wait for the
// last cut.
func callCut(t *testing.T, bridge Bridge, early bool, points ...Point) *Cutter {
	t.Helper()
	b := newBed(t, bridge)
	cut := &Cutter{Dial: b.dial, Cuts: points}
	cut.OnCut = func() {
		if cut.Done() == len(points) {
			b.kit.release()
		}
	}
	if early {
		b.kit.release()
	}
	answer := client(t, cut.DialFunc).Call(t.Context(), &guest.Call{ID: "cut", Toolkit: "suite", Path: []string{"gate"}})
	checkOnce(t, b.kit, "cut", answer)
	return cut
}

// checkOnce wants the good outcome of a call that ran once.
func checkOnce(t *testing.T, k *kit, id string, answer *guest.Answer) {
	t.Helper()
	if !answer.OK || answer.Exit != 0 || string(answer.Result) != `"released"` {
		t.Errorf("call %s: answer %+v, want the result", id, answer)
	}
	if n := k.ran(id); n != 1 {
		t.Errorf("call %s: ran %d times, want once", id, n)
	}
}
