package shim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

const (
	// maxBatchLine is the length of a line of a batch in bytes: the longest input
	// with what stands around it.
	maxBatchLine = strictjson.MaxBytes + 64<<10
	// maxKitName is the length of a toolkit's name in bytes, as definitions are
	// checked.
	maxKitName = 63
	// jsonSpace is the white space of JSON (RFC 8259 §2).
	jsonSpace = " \t\r\n"
)

// batchLine is a line of stdin. Lines are counted from 1, blank ones too.
type batchLine struct {
	number int
	text   []byte
	fault  string // why it could not be read; empty if it could
}

// readLines hands over the lines of r that are not blank, one when the one before
// was taken, and then closes lines. It is the only reader of r.
func readLines(r io.Reader, lines chan<- *batchLine, quit <-chan struct{}) {
	defer close(lines)
	in := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; number++ {
		text, fault, more := readLine(in)
		if fault != "" || len(bytes.Trim(text, jsonSpace)) > 0 {
			select {
			case lines <- &batchLine{number, text, fault}:
			case <-quit:
				return
			}
		}
		if !more {
			return
		}
	}
}

// readLine reads to the end of a line, of which no more is kept than a line may be
// long. There is no more after the end of r.
func readLine(in *bufio.Reader) (text []byte, fault string, more bool) {
	for {
		part, err := in.ReadSlice('\n')
		if len(text)+len(part) > maxBatchLine {
			text, fault = nil, fmt.Sprintf("longer than %d bytes", maxBatchLine)
		}
		if fault == "" {
			text = append(text, part...)
		}
		switch {
		case err == nil:
			return text, fault, true
		case errors.Is(err, io.EOF):
			return text, fault, false
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Sprintf("stdin cannot be read: %v", err), false
		}
	}
}

// batchRequest is what a line asks for.
type batchRequest struct {
	kit string
	// words are those of a tool's path, or of a command line after the toolkit.
	words []string
	// program is what the command line began with, empty where the line names a
	// tool and its input.
	program string
	input   json.RawMessage
}

// request reads the line. The error is a USAGE_ERROR that names it.
func (l *batchLine) request() (*batchRequest, *toolkit.Error) {
	request, err := &batchRequest{}, error(nil)
	if l.fault != "" {
		err = errors.New(l.fault)
	} else {
		request, err = readRequest(l.text)
	}
	if err == nil {
		return request, nil
	}
	var own *toolkit.Error
	if !errors.As(err, &own) {
		own = &toolkit.Error{Code: toolkit.CodeUsageError, Message: err.Error(), Hint: "agentos batch --help"}
	}
	own.Message = fmt.Sprintf("line %d: %s", l.number, own.Message)
	return nil, own
}

// batchMembers are the members of a line as it is written.
type batchMembers struct {
	toolkit, tool string
	input         json.RawMessage
	argv          []string
	// given are the names of those that are there.
	given map[string]bool
}

var batchMemberNames = []string{"argv", "input", "tool", "toolkit"}

func readRequest(text []byte) (*batchRequest, error) {
	m := &batchMembers{given: map[string]bool{}}
	if err := wire.Members(text, m.read); err != nil {
		return nil, clearer(text, err)
	}
	switch {
	case m.given["argv"] && len(m.given) > 1:
		return nil, errors.New(`argv: stands alone, without toolkit, tool and input`)
	case m.given["argv"]:
		return commandRequest(m.argv)
	case m.toolkit == "":
		return nil, errors.New(`toolkit: required, as in ` + batchToolLine + `; or give argv, as in ` + batchArgvLine)
	}
	return checkedRequest(&batchRequest{kit: m.toolkit, words: strings.Fields(m.tool), input: m.input})
}

// clearer is the error in the words of the reader of whole documents, where the
// text is not too long for it and it objects too.
func clearer(text []byte, err error) error {
	if len(text) > strictjson.MaxBytes {
		return err
	}
	unknown := error(nil)
	whole := strictjson.Read(text, func(in *strictjson.Reader) {
		in.Object(func(name string) {
			if unknown == nil && !slices.Contains(batchMemberNames, name) {
				unknown = unknownMember(name)
			}
		})
	})
	switch {
	case whole != nil:
		return whole
	case unknown != nil:
		return unknown
	}
	return err
}

// read reads one member.
func (m *batchMembers) read(name string, value []byte) error {
	m.given[name] = true
	value = bytes.Trim(value, jsonSpace)
	err := strictjson.Read(value, func(in *strictjson.Reader) {
		switch name {
		case "toolkit":
			m.toolkit = in.Text()
		case "tool":
			m.tool = in.Text()
		case "argv":
			in.Array(func() { m.argv = append(m.argv, in.Text()) })
		case "input":
			in.Object(func(string) { in.Skip() })
			m.input = value
		}
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case !slices.Contains(batchMemberNames, name):
		return unknownMember(name)
	}
	return nil
}

func unknownMember(name string) error {
	near := ""
	if names := argv.Nearest(name, batchMemberNames); len(names) > 0 {
		near = "nearest " + strings.Join(names, ", ") + ", "
	}
	return fmt.Errorf("%.64s: unknown key, %sexpected one of %s", name, near, strings.Join(batchMemberNames, ", "))
}

// commandRequest is the request of the words after agentos.
func commandRequest(words []string) (*batchRequest, error) {
	if len(words) == 0 || strings.HasPrefix(words[0], "-") {
		return nil, errors.New(`argv: begins with a toolkit, as in ` + batchArgvLine)
	}
	program := "agentos"
	if words[0] == "call" && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		program, words = "agentos call", words[1:]
	} else if name := words[0]; name == completeWord || argv.IsOwnCommand(name) && isOwn(name) {
		return nil, &toolkit.Error{
			Code: toolkit.CodeUsageError, Hint: "agentos " + name + " --help",
			Message: "argv: " + name + " is a command of agentos itself, and a batch calls tools; a toolkit of that name is called by [\"call\",\"" + name + "\",…]",
		}
	}
	return checkedRequest(&batchRequest{program: program + " " + words[0], kit: words[0], words: words[1:]})
}

// checkedRequest refuses a name that is too long to ask a host for.
func checkedRequest(r *batchRequest) (*batchRequest, error) {
	if len(r.kit) > maxKitName {
		return nil, fmt.Errorf("a toolkit's name has at most %d bytes, this one has %d", maxKitName, len(r.kit))
	}
	return r, nil
}
