package transport

import (
	"io/fs"
	"strconv"
	"strings"
)

// The schemes of addresses.
const (
	schemeVsock  = "vsock"
	schemeUnix   = "unix"
	schemeHybrid = "hybrid"
	schemePipe   = "pipe"
)

// DefaultGuest is the guest of a listener whose address names none.
const DefaultGuest = "default"

// Address is where to listen or what to dial. Make it with ParseListen or
// ParseDial, which leave the fields of other schemes zero.
type Address struct {
	// Scheme is "vsock", "unix", "hybrid" or, for the ends of a Pipe, "pipe".
	Scheme string
	// CID is the context id to dial. It is 0 in an address to listen on: a
	// host listens on every CID that its machine has.
	CID uint32
	// Port is the AF_VSOCK port of a vsock or hybrid address.
	Port uint32
	// AnyCID says that a vsock listener also takes guests that nobody
	// registered, each CID as a guest of its own.
	AnyCID bool
	// Path is the socket of a unix address. Of a hybrid address it is the path
	// that the VMM was given, to which the port is appended.
	Path string
	// Guest is whom a unix or hybrid listener belongs to.
	Guest string
	// UID is the user who owns the socket and who alone may connect; nil: the
	// listening process's own user owns it, and its mode decides.
	UID *int
	// GID is the group of the socket; nil: the listening process's group.
	GID *int
	// Mode is the mode of the socket; nil: 0600, or 0660 when the address
	// names a group and no user.
	Mode *fs.FileMode
}

// String is the address as ParseListen or ParseDial read it.
func (a Address) String() string {
	switch a.Scheme {
	case schemeVsock:
		return a.vsockString()
	case schemeUnix, schemeHybrid:
		return a.pathString()
	default:
		return a.Scheme + ":"
	}
}

func (a Address) vsockString() string {
	text := "vsock://"
	if a.CID != 0 {
		text += number(a.CID)
	}
	text += ":" + number(a.Port)
	if a.AnyCID {
		text += "?cid=any"
	}
	return text
}

func (a Address) pathString() string {
	var query []string
	if a.Scheme == schemeHybrid {
		query = append(query, "port="+number(a.Port))
	}
	if a.Guest != "" && a.Guest != DefaultGuest {
		query = append(query, "guest="+escape(a.Guest))
	}
	if a.UID != nil {
		query = append(query, "uid="+strconv.Itoa(*a.UID))
	}
	if a.GID != nil {
		query = append(query, "gid="+strconv.Itoa(*a.GID))
	}
	if a.Mode != nil {
		query = append(query, "mode=0"+strconv.FormatUint(uint64(a.Mode.Perm()), 8))
	}
	text := a.Scheme + "://" + escape(a.Path)
	if len(query) > 0 {
		text += "?" + strings.Join(query, "&")
	}
	return text
}

// socketPath is the socket file of a unix or hybrid address. The VMMs append
// the port to the path that they were given (Firecracker, docs/vsock.md).
func (a Address) socketPath() string {
	if a.Scheme == schemeHybrid {
		return a.Path + "_" + number(a.Port)
	}
	return a.Path
}

// socketMode is the mode of the socket file.
func (a Address) socketMode() fs.FileMode {
	switch {
	case a.Mode != nil:
		return a.Mode.Perm()
	case a.GID != nil && a.UID == nil:
		return 0o660
	default:
		return 0o600
	}
}

func number(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// escape spells every byte that has a meaning in an address, or could disturb
// a terminal, as %XX.
func escape(text string) string {
	const plain = "/._-+~,:@=" // beside letters and digits
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if isAlphanumeric(c) || strings.IndexByte(plain, c) >= 0 {
			out.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		out.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
	}
	return out.String()
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
