package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestCase_B076 : a sandbox that forbids the socket family is told apart from
// a host that is not there.
func TestCase_B076(t *testing.T) {
	for _, test := range []struct {
		err  error
		want Reason
	}{
		{syscall.EPERM, Forbidden},
		{syscall.EACCES, Forbidden},
		{syscall.ECONNREFUSED, Refused},
		{syscall.ENOENT, Missing},
		{syscall.ENOTDIR, Missing},
		{syscall.ETIMEDOUT, Timeout},
		{context.DeadlineExceeded, Timeout},
		{os.ErrDeadlineExceeded, Timeout},
		{syscall.ENODEV, NoDevice},
		{syscall.EAFNOSUPPORT, NoDevice},
		{errors.ErrUnsupported, NoDevice},
		{syscall.ECONNRESET, Reset},
		{syscall.EINVAL, Other},
		{context.Canceled, Other},
		{errors.New("anything else"), Other},
	} {
		wrapped := fmt.Errorf("wrapped: %w", &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", test.err)})
		for _, err := range []error{test.err, wrapped} {
			if got := reasonOf(err); got != test.want {
				t.Errorf("reason of %q: got %s, want %s", err, got, test.want)
			}
		}
	}
}

func TestDialErrorAdvice(t *testing.T) {
	vsock := Address{Scheme: "vsock", CID: 2, Port: 5000}
	unix := Address{Scheme: "unix", Path: "/run/agentos/agentos.sock"}
	for _, test := range []struct {
		addr   Address
		reason Reason
		want   string
	}{
		{unix, Refused, "start agentosd"},
		{unix, Missing, "mount the socket's directory"},
		{unix, Forbidden, "allow /run/agentos/agentos.sock"},
		{unix, NoDevice, "allow /run/agentos/agentos.sock"},
		{unix, Timeout, "did not answer in time"},
		{unix, Other, "agentos doctor"},
		{vsock, Refused, "vsock://:5000"},
		{vsock, Reset, "hybrid://…?port=5000"},
		{vsock, Forbidden, "unix:// address"},
		{vsock, Timeout, "nothing has that CID"},
		{vsock, NoDevice, "vmw_vsock_virtio_transport"},
		{vsock, Other, "agentos doctor"},
		{Address{Scheme: "vsock", CID: 42, Port: 5000}, NoDevice, "dial vsock://2:5000"},
	} {
		err := &DialError{Addr: test.addr, Reason: test.reason, Err: errors.New("x")}
		if got := err.Advice(); !strings.Contains(got, test.want) {
			t.Errorf("advice for %s, %s: got %q, want it to say %q", test.addr.Scheme, test.reason, got, test.want)
		}
	}
}

func TestDialErrorNamesTheAddressOnce(t *testing.T) {
	addr := Address{Scheme: "unix", Path: "/run/a.sock"}
	cause := os.NewSyscallError("connect", syscall.ENOENT)
	err := newDialError(addr, &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: "/proc/self/fd/9"}, Err: cause})
	const want = "dial unix:///run/a.sock: connect: no such file or directory"
	if got := err.Error(); got != want {
		t.Errorf("error: got %q, want %q", got, want)
	}
	if !errors.Is(err, syscall.ENOENT) {
		t.Errorf("errors.Is(%v, ENOENT): got false, want true", err)
	}
}

// A literal Address does not get round the rules of ParseDial.
func TestDialRefusesWhatCannotBeDialed(t *testing.T) {
	for _, test := range []struct {
		addr Address
		want string
	}{
		{Address{Scheme: "vsock", Port: 5000}, "AF_VSOCK ignores network namespaces"},
		{Address{Scheme: "vsock", CID: 1<<32 - 1, Port: 5000}, "VMADDR_CID_ANY"},
		{Address{Scheme: "hybrid", Path: "/run/v.sock", Port: 5000}, `scheme "hybrid"`},
		{Address{Scheme: "pipe"}, `scheme "pipe"`},
		{Address{}, `scheme ""`},
	} {
		_, err := Dial(t.Context(), test.addr)
		if _, ok := errors.AsType[*DialError](err); !ok || !strings.Contains(err.Error(), test.want) {
			t.Errorf("dial %+v: got %v, want a *DialError with %q", test.addr, err, test.want)
		}
	}
}

func TestDialHeedsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Dial(ctx, Address{Scheme: "unix", Path: "/run/a.sock"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("dial with a cancelled context: got %v, want context.Canceled", err)
	}
}
