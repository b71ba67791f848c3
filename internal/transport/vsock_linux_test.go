package transport

import (
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/mdlayher/vsock"
)

// addressed is a connection that has nothing but a peer's address. Real
// AF_VSOCK is left to a test in a virtual machine of its own: on a machine that
// is itself a guest, CID 1 and 2 are not the test's to use.
type addressed struct {
	net.Conn
	remote net.Addr
}

func (c addressed) RemoteAddr() net.Addr { return c.remote }

func TestVsockPeerIsTheKernelsCID(t *testing.T) {
	got, err := vsockPeer(addressed{remote: &vsock.Addr{ContextID: 42, Port: 1066}})
	if want := (Peer{CID: 42, UID: -1, PID: -1}); err != nil || got != want {
		t.Errorf("peer: got %+v, %v; want %+v", got, err, want)
	}
	if got, err := vsockPeer(addressed{remote: &net.UnixAddr{Name: "/x"}}); err == nil {
		t.Errorf("peer of another kind of address: got %+v, want an error", got)
	}
}

func TestVsockListenErrorSaysWhatToLoad(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.EAFNOSUPPORT: "load vhost_vsock",
		syscall.EADDRINUSE:   "address already in use",
	} {
		err := vsockListenError(&net.OpError{Op: "listen", Net: "vsock", Err: errno})
		if got := err.Error(); !strings.Contains(got, want) || strings.HasPrefix(got, "listen") {
			t.Errorf("error of %v: got %q, want %q without the address", errno, got, want)
		}
	}
}
