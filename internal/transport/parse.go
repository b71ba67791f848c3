package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// end is the end of a connection that an address is read for.
type end uint8

const (
	listening end = iota
	dialing
)

// ParseListen reads the address that a host listens on. An error names the
// part that is wrong and the valid form.
func ParseListen(text string) (Address, error) { return parse(text, listening) }

// ParseDial reads the address that a guest dials. An error names the part that
// is wrong and the valid form.
func ParseDial(text string) (Address, error) { return parse(text, dialing) }

// grammar is how the addresses of one scheme are written for one end.
type grammar struct {
	scheme     string
	end        end
	form       string // shown with every mistake
	place      func(a *Address, text string) error
	parameters []string
}

var grammars = []grammar{
	{schemeVsock, listening, "vsock://:PORT or vsock://:PORT?cid=any", (*Address).setPort, []string{"cid"}},
	{schemeVsock, dialing, "vsock://CID:PORT, as in vsock://2:5000", (*Address).setEndpoint, nil},
	{schemeUnix, listening, "unix:///DIRECTORY/NAME?guest=GUEST&uid=N&gid=N&mode=OCTAL (the path alone is enough)",
		(*Address).setPath, []string{"guest", "uid", "gid", "mode"}},
	{schemeUnix, dialing, "unix:///DIRECTORY/NAME", (*Address).setPath, nil},
	{schemeHybrid, listening, "hybrid:///DIRECTORY/NAME?port=PORT&guest=GUEST&uid=N&gid=N (path and port are enough)",
		(*Address).setPath, []string{"port", "guest", "uid", "gid"}},
}

func parse(text string, at end) (Address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return Address{}, fmt.Errorf("address %q: no scheme: %s", text, knownForms(at))
	}
	rules, err := grammarOf(scheme, at)
	if err != nil {
		return Address{}, fmt.Errorf("address %q: %w", text, err)
	}
	addr, err := rules.parse(rest)
	if err != nil {
		return Address{}, fmt.Errorf("address %q: %w; write %s", text, err, rules.form)
	}
	return addr, nil
}

func grammarOf(scheme string, at end) (*grammar, error) {
	for i, rules := range grammars {
		if rules.scheme == scheme && rules.end == at {
			return &grammars[i], nil
		}
	}
	if scheme == schemeHybrid {
		return nil, errors.New("hybrid is the host's end; a guest dials vsock://2:PORT")
	}
	return nil, fmt.Errorf("unknown scheme %q: %s", scheme, knownForms(at))
}

// knownForms is the list of what can be written for one end.
func knownForms(at end) string {
	var forms []string
	for _, rules := range grammars {
		if rules.end == at {
			forms = append(forms, rules.form)
		}
	}
	return "write " + strings.Join(forms, ", or ")
}

// parse reads what follows the scheme.
func (g *grammar) parse(rest string) (Address, error) {
	addr := Address{Scheme: g.scheme}
	place, query, _ := strings.Cut(rest, "?")
	if err := g.place(&addr, place); err != nil {
		return Address{}, err
	}
	if err := g.readParameters(&addr, query); err != nil {
		return Address{}, err
	}
	if g.scheme == schemeHybrid && addr.Port == 0 {
		return Address{}, errors.New("port: missing")
	}
	if g.end == listening && addr.Path != "" && addr.Guest == "" {
		addr.Guest = DefaultGuest
	}
	return addr, nil
}

func (g *grammar) readParameters(addr *Address, query string) error {
	if query == "" {
		return nil
	}
	var seen []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case !slices.Contains(g.parameters, name):
			return fmt.Errorf("parameter %q: unknown here", name)
		case slices.Contains(seen, name):
			return fmt.Errorf("parameter %q: given twice", name)
		}
		seen = append(seen, name)
		if err := addr.setParameter(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (a *Address) setParameter(name, value string) (err error) {
	switch name {
	case "cid":
		a.AnyCID = value == "any"
		if !a.AnyCID {
			return fmt.Errorf("cid: %q is not the word any", value)
		}
	case "port":
		return a.setPortNumber(value)
	case "guest":
		a.Guest, err = parseGuest(value)
	case "uid":
		a.UID, err = parseID(name, value)
	case "gid":
		a.GID, err = parseID(name, value)
	case "mode":
		a.Mode, err = parseMode(value)
	}
	return err
}

// setPort reads ":5000".
func (a *Address) setPort(text string) error {
	cid, port, ok := cutLast(text)
	if ok && cid != "" {
		return fmt.Errorf("cid: %q: a host listens on every CID of its machine and is told each guest's", cid)
	}
	if !ok {
		return fmt.Errorf("port: %q has no colon before it", text)
	}
	return a.setPortNumber(port)
}

// setEndpoint reads "2:5000".
func (a *Address) setEndpoint(text string) error {
	cid, port, ok := cutLast(text)
	if !ok {
		return errors.New("port: missing")
	}
	if cid == "" {
		return errNoCID
	}
	n, err := strconv.ParseUint(cid, 10, 32)
	if err != nil || checkCID(uint32(n)) != nil {
		return fmt.Errorf("cid: %q cannot be dialed: it is 2 for the host, 1 for this machine itself, 3 and up for a guest", cid)
	}
	a.CID = uint32(n)
	return a.setPortNumber(port)
}

// errNoCID explains why there is no default CID to dial.
var errNoCID = errors.New("cid: missing, and there is no default, since AF_VSOCK ignores network namespaces: " +
	"in a container a guessed CID is that of whatever hypervisor lies below")

// checkCID refuses the context ids that nobody can mean to dial: 0 is the
// hypervisor itself, which runs no host, and VMADDR_CID_ANY (-1) is for
// binding (vsock(7)).
func checkCID(cid uint32) error {
	switch cid {
	case 0:
		return errNoCID
	case math.MaxUint32:
		return errors.New("cid: VMADDR_CID_ANY cannot be dialed")
	}
	return nil
}

// setPortNumber leaves out 0 and VMADDR_PORT_ANY (-1), which ask the kernel to
// choose: a guest could not know what it chose.
func (a *Address) setPortNumber(text string) error {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n == 0 || n == math.MaxUint32 {
		return fmt.Errorf("port: %q is not a number from 1 to %d", text, uint32(math.MaxUint32-1))
	}
	a.Port = uint32(n)
	return nil
}

// setPath takes only a path that says plainly which file it is.
func (a *Address) setPath(text string) error {
	name, err := unescape(text)
	switch {
	case err != nil:
		return fmt.Errorf("path: %w", err)
	case name == "" || name == "/":
		return errors.New("path: missing")
	case name[0] != '/':
		return fmt.Errorf("path: %q is not absolute (three slashes follow the colon)", name)
	case strings.IndexByte(name, 0) >= 0:
		return errors.New("path: holds a NUL byte")
	case path.Clean(name) != name:
		return fmt.Errorf("path: %q is not plain, perhaps %q is meant", name, path.Clean(name))
	}
	a.Path = name
	return nil
}

// parseGuest takes the names that are safe in a log line and as a file name.
func parseGuest(text string) (string, error) {
	const maxGuest = 64
	ok := text != "" && len(text) <= maxGuest && isAlphanumeric(text[0])
	for i := 0; i < len(text); i++ {
		ok = ok && (isAlphanumeric(text[i]) || strings.IndexByte("._-", text[i]) >= 0)
	}
	if !ok {
		return "", fmt.Errorf("guest: %q is not a name of up to %d letters, digits, dots, hyphens and underscores"+
			" that begins with a letter or digit", text, maxGuest)
	}
	return text, nil
}

// parseID reads a user or group; -1 means "leave as it is" to chown(2).
func parseID(name, text string) (*int, error) {
	id, err := strconv.Atoi(text)
	if err != nil || id < 0 || int64(id) >= math.MaxUint32 {
		return nil, fmt.Errorf("%s: %q is not a numeric id", name, text)
	}
	return &id, nil
}

func parseMode(text string) (*fs.FileMode, error) {
	bits, err := strconv.ParseUint(text, 8, 32)
	if err != nil || bits > 0o777 {
		return nil, fmt.Errorf("mode: %q is not an octal number up to 0777", text)
	}
	mode := fs.FileMode(bits)
	return &mode, nil
}

// unescape reads %XX. Package net/url would do it too, for 78 KiB in the guest
// binary.
func unescape(text string) (string, error) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "%")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		b, err := strconv.ParseUint(after[:min(2, len(after))], 16, 8)
		if err != nil || len(after) < 2 {
			return "", errors.New("% is not followed by two hexadecimal digits")
		}
		out.WriteByte(byte(b))
		text = after[2:]
	}
}

// cutLast cuts text around its last colon.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}
