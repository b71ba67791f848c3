package shim_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestCase_B031: a command in the background, without a terminal or with its
// descriptors closed prints what it prints in the foreground.
func TestCase_B031(t *testing.T) {
	h := newHostProcess(t, 1)
	h.start()
	jobs := map[string]*child{}
	for _, shell := range shellsHere() {
		for name, script := range map[string]string{
			"background": `agentos-work run --name %s --ms 100 > $D/out.json 2> $D/err & wait; cat $D/out.json $D/err`,
			"nohup":      `nohup agentos-work run --name %s --ms 100 > $D/out.json 2> $D/err < /dev/null & wait; cat $D/out.json $D/err`,
			"setsid":     `setsid -w agentos-work run --name %s --ms 100 > $D/out.json 2> $D/err; cat $D/out.json $D/err`,
			"closed":     `agentos-work run --name %s --ms 100 > $D/out.json 2>&- <&- & wait; cat $D/out.json`,
		} {
			if isHere(name) {
				call := shell + "-" + name
				jobs[call] = starts(t, h.script(shell, t.TempDir(), fmt.Sprintf(script, call)))
			}
		}
	}
	for call, job := range jobs {
		got, want := job.ends(), `{"ok":true,"result":"`+call+`"}`+"\n"
		if got.exit != 0 || got.stdout != want || got.stderr != "" {
			t.Errorf("%s: exit %d, stdout %s, stderr %s, want %s", call, got.exit, got.stdout, got.stderr, want)
		}
	}
}

// isHere reports whether what a job needs beside a shell is installed.
func isHere(job string) bool {
	if job != "nohup" && job != "setsid" {
		return true
	}
	_, err := exec.LookPath(job)
	return err == nil
}

// TestCase_B031_NoTerminalAccess: a background job that reads its terminal is
// stopped, as the control shows. A call neither reads nor opens it.
func TestCase_B031_NoTerminalAccess(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	for _, shell := range shellsHere() {
		t.Run(shell, func(t *testing.T) {
			dir, name := t.TempDir(), "tty-"+shell
			fifo := newFIFO(t, dir, "pid")
			cmd := h.script(shell, dir, `set -m
				agentos-work run 2>&1 & wait $!; echo "incomplete $?"
				agentos-work run --name `+name+` --ms 60000 2>&1 & echo $! > $D/pid; wait $!; echo "call $?"
				cat 2>&1 & wait $!; echo "control $?"`)
			var out bytes.Buffer
			cmd.Stdout = &out
			_, c := onTerminal(t, cmd)
			pid := readPID(t, fifo)
			h.whenSaid("began " + name)
			for fd, file := range openFiles(t, pid) {
				if fd != "0" && (strings.HasPrefix(file, "/dev/tty") || strings.HasPrefix(file, "/dev/pts/")) {
					t.Errorf("descriptor %s is %s, want no terminal but stdin", fd, file)
				}
			}
			<-hearing()
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			c.ends()
			for _, want := range []string{`"error":"VALIDATION_ERROR"`, "\nincomplete 2\n", isCancelled, "\ncall 143\n", fmt.Sprintf("control %d\n", 128+int(syscall.SIGTTIN))} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("stdout %s\nlacks %q", out.String(), want)
				}
			}
		})
	}
}

// TestCase_B031_TheTerminalHangsUp, as when an SSH session drops (B089): the call is
// cancelled. Under nohup, and in a session of its own, it goes on.
func TestCase_B031_TheTerminalHangsUp(t *testing.T) {
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	type session struct {
		call, begins, end string
		until             string
		out               bytes.Buffer // it is read until the call's command, too, has ended
		term              *terminal
		shell             *child
	}
	var sessions []*session
	for _, shell := range shellsHere() {
		for _, test := range []struct {
			name, script, begins, end string
		}{
			{"foreground", `agentos-work run %s; echo survived`, isCancelled, "cancelled"},
			{"background", `agentos-work run %s & wait`, isCancelled, "cancelled"},
			{"nohup", `nohup agentos-work run %s & wait`, isOK, "finished"},
			{"setsid", `setsid agentos-work run %s & wait`, isOK, "finished"},
		} {
			if isHere(test.name) {
				s := &session{call: shell + "-" + test.name, begins: test.begins, end: test.end}
				s.until = newFIFO(t, t.TempDir(), "until")
				arguments := "--name " + s.call + " --until " + s.until + " 2> /dev/null < /dev/null"
				cmd := h.script(shell, t.TempDir(), fmt.Sprintf(test.script, arguments))
				cmd.Stdout = &s.out
				s.term, s.shell = onTerminal(t, cmd)
				sessions = append(sessions, s)
			}
		}
	}
	for _, s := range sessions {
		h.whenSaid("began " + s.call)
	}
	<-hearing()
	for _, s := range sessions {
		s.term.hangUp()
	}
	for _, s := range sessions {
		if s.end == "finished" {
			release(t, s.until)
		}
		got := s.shell.ends()
		if got.exit != 129 || !strings.HasPrefix(s.out.String(), s.begins) || strings.Contains(s.out.String(), "survived") {
			t.Errorf("%s: the shell ended with %d, stdout %s, want 129 and %s", s.call, got.exit, s.out.String(), s.begins)
		}
		if s.begins == isCancelled && !strings.Contains(s.out.String(), "hangup") {
			t.Errorf("%s: stdout %s, want it to name the signal", s.call, s.out.String())
		}
		h.whenSaid(s.end + " " + s.call)
	}
}

// TestCase_B089_AnInterruptedLoop: the call in the foreground is cancelled, and the
// script ends with it.
func TestCase_B089_AnInterruptedLoop(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	for _, shell := range shellsHere() {
		t.Run(shell, func(t *testing.T) {
			call := "loop-" + shell
			cmd := h.script(shell, t.TempDir(), `for i in 1 2 3; do agentos-work run --name `+call+`-$i --ms 60000; done; echo survived`)
			term, c := onTerminal(t, cmd)
			h.whenSaid("began " + call + "-1")
			<-hearing()
			term.types("\x03")
			got, shown := c.ends(), term.shows()
			if got.exit != 130 || !strings.Contains(shown, isCancelled) || !strings.Contains(shown, "interrupt") || strings.Contains(shown, "survived") {
				t.Errorf("the shell ended with %d and shows %q, want 130, the cancelled call and no more", got.exit, shown)
			}
			if h.count("cancelled "+call+"-1") != 1 || h.count("began "+call+"-2") != 0 {
				t.Errorf("cancelled %v, began %v, want the first call cancelled and no second", h.counts("cancelled"), h.counts("began"))
			}
		})
	}
}
