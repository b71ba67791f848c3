package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// pipes is a toolkit whose tools stream.
func pipes() *toolkit.Toolkit {
	type cat struct {
		In  io.Reader `stdin:"" validate:"required"`
		Out io.Writer `stdout:"" validate:"required"`
	}
	type hash struct {
		In io.Reader `stdin:"" validate:"required"`
	}
	return &toolkit.Toolkit{Name: "pipe", Summary: "Streams", Timeout: 10 * time.Minute, Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "cat", ReadOnly: true}, func(_ context.Context, in cat) (toolkit.None, error) {
			_, err := io.Copy(in.Out, in.In)
			return toolkit.None{}, err
		}),
		toolkit.Func(toolkit.Spec{Name: "hash", ReadOnly: true}, func(_ context.Context, in hash) (string, error) {
			digest := sha256.New()
			_, err := io.Copy(digest, in.In)
			return hex.EncodeToString(digest.Sum(nil)), err
		}),
	}}
}

// buildShim builds the guest's program under that name.
func buildShim(dir, name string) error { return build(dir, name, "./shim/agentos") }

// stream is the time of a file through the tool cat and back, guest and host in
// processes of their own, against the same bytes in the same frames through the same
// kind of socket and back, with nothing but the copying. The bar is 0.6 of the
// reference's throughput.
func stream(dir string) (Row, error) {
	const bytes, bar = 512 << 20, 1 / 0.6
	file := filepath.Join(dir, "bytes")
	if err := errors.Join(buildShim(dir, "agentos-pipe"), os.WriteFile(file, make([]byte, bytes), 0o600)); err != nil {
		return Row{}, err
	}
	defer os.Remove(file)
	echo, err := play("echo", 1, dir)
	if err != nil {
		return Row{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return Row{}, errors.Join(err, echo.stop())
	}
	row, err := withHost(dir, "", func(*process, *guest.Client) (Row, error) {
		row, err := compare("512 MiB through cat and back", "a bare copy of the same frames", bar, 5,
			copying(file, exec.Command(filepath.Join(dir, "agentos-pipe"), "cat"), "AGENTOS_ADDR="+address(dir)),
			copying(file, exec.Command(self, dir), roleVariable+"=copy"))
		row.Name = fmt.Sprintf("%s: %.2f of the throughput (bar 0.6)", row.Name, row.Theirs/row.Ours)
		return row, err
	})
	return row, errors.Join(err, echo.stop())
}

// copying runs the command from the file to /dev/null, each time anew.
func copying(file string, like *exec.Cmd, env string) func() error {
	return func() error {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer in.Close()
		cmd := exec.Command(like.Path, like.Args[1:]...)
		cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), env), in, os.Stderr
		return cmd.Run()
	}
}

// echoSocket is where the role echo listens.
func echoSocket(dir string) string { return filepath.Join(dir, "echo.sock") }

// echo sends back every frame of every connection.
func echo(ctx context.Context, dir string) error {
	l, err := net.Listen("unix", echoSocket(dir))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	fmt.Println("listening")
	for {
		conn, err := l.Accept()
		if err != nil {
			return nil // it is closed, above
		}
		go func() { // ends with the connection
			defer conn.Close()
			frame := make([]byte, wire.HeaderSize+wire.MaxData)
			for n, err := readFrame(conn, frame); err == nil; n, err = readFrame(conn, frame) {
				if _, err := conn.Write(frame[:n]); err != nil {
					return
				}
			}
		}()
	}
}

// readFrame reads a frame, whose length is that many bytes.
func readFrame(r io.Reader, frame []byte) (n int, err error) {
	if _, err := io.ReadFull(r, frame[:wire.HeaderSize]); err != nil {
		return 0, err
	}
	n = wire.HeaderSize + int(binary.BigEndian.Uint32(frame))
	_, err = io.ReadFull(r, frame[wire.HeaderSize:n])
	return n, err
}

// copyBare sends what it reads from in to the role echo, as frames of 64 KiB, and
// writes what comes back to out.
func copyBare(dir string, in io.Reader, out io.Writer) error {
	conn, err := net.Dial("unix", echoSocket(dir))
	if err != nil {
		return err
	}
	defer conn.Close()
	sent := make(chan error, 1)
	go func() { // ends with the bytes or the connection, waited for below
		frame := make([]byte, wire.HeaderSize+wire.MaxData)
		for {
			n, _ := io.ReadFull(in, frame[wire.HeaderSize:]) // the last frame is shorter
			if n == 0 {
				sent <- conn.(*net.UnixConn).CloseWrite()
				return
			}
			binary.BigEndian.PutUint32(frame, uint32(n))
			if _, err := conn.Write(frame[:wire.HeaderSize+n]); err != nil {
				sent <- err
				return
			}
		}
	}()
	frame := make([]byte, wire.HeaderSize+wire.MaxData)
	for {
		n, err := readFrame(conn, frame)
		if errors.Is(err, io.EOF) {
			return <-sent
		}
		if err == nil {
			_, err = out.Write(frame[wire.HeaderSize:n])
		}
		if err != nil {
			return err
		}
	}
}

// streamMemory is by how much the resident memory of host and guests grows, whichever
// grows most, while 2 GB pass a pipeline of cat and hash, against the bar of 8 MiB.
func streamMemory(dir string) (Row, error) {
	const bytes, bar = 2_000_000_000, 8
	if err := buildShim(dir, "agentos-pipe"); err != nil {
		return Row{}, err
	}
	return withHost(dir, "", func(h *process, client *guest.Client) (Row, error) {
		row := Row{Name: "memory for 2 GB through cat | hash", Reference: "the bar", Unit: "MiB", Bar: 1, Theirs: bar}
		if err := sumOf(client); err != nil {
			return row, err
		}
		pids := []int{h.cmd.Process.Pid}
		before := []int{rss(pids[0])}
		p, err := startPipeline(dir, "cat", "hash")
		if err != nil {
			return row, err
		}
		_, err = io.CopyN(p.in, zeros{}, 4<<20) // when they are taken, all have begun
		for _, cmd := range p.cmds {
			pids, before = append(pids, cmd.Process.Pid), append(before, rss(cmd.Process.Pid))
		}
		done := make(chan struct{})
		peaks := make(chan [2]int, len(pids))
		for i, pid := range pids {
			go func() { peaks <- [2]int{i, peakRSS(pid, done)} }() // ends with done, waited for below
		}
		if err == nil {
			_, err = io.CopyN(p.in, zeros{}, bytes)
		}
		close(done)
		for range pids {
			peak := <-peaks
			row.Ours = max(row.Ours, float64(peak[1]-before[peak[0]])/(1<<20))
		}
		row.Ratio = row.Ours / row.Theirs
		return row, errors.Join(err, p.end())
	})
}

// pipeline is commands each of which reads what the one before writes.
type pipeline struct {
	in   io.WriteCloser // of the first one
	cmds []*exec.Cmd
}

// startPipeline starts the tools of the toolkit pipe.
func startPipeline(dir string, tools ...string) (*pipeline, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &pipeline{in: w}
	for i, tool := range tools {
		cmd := exec.Command(filepath.Join(dir, "agentos-pipe"), tool)
		cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), "AGENTOS_ADDR="+address(dir)), r, os.Stderr
		var next, out *os.File
		if i < len(tools)-1 {
			next, out, err = os.Pipe()
			cmd.Stdout = out
		}
		if err == nil {
			err = cmd.Start()
		}
		r.Close()
		if out != nil {
			out.Close()
		}
		if err != nil {
			return nil, errors.Join(err, p.end())
		}
		p.cmds = append(p.cmds, cmd)
		r = next
	}
	return p, nil
}

// end ends the input and waits for all commands, which must succeed.
func (p *pipeline) end() error {
	err := p.in.Close()
	for _, cmd := range p.cmds {
		err = errors.Join(err, cmd.Wait())
	}
	return err
}

type zeros struct{}

// Read is zeros.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
