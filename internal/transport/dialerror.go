package transport

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"strconv"
	"syscall"
)

// Reason is why a Dial failed, as far as it changes what to do next.
type Reason string

// The reasons of a DialError.
const (
	Refused   Reason = "refused"   // nobody listens there
	Missing   Reason = "missing"   // no such socket file
	Forbidden Reason = "forbidden" // a sandbox or file modes; trying again does not help
	Timeout   Reason = "timeout"   // no answer in time
	NoDevice  Reason = "no-device" // AF_VSOCK without a device below it, or not known at all
	Reset     Reason = "reset"     // how hypervisors say that nobody listens
	Other     Reason = "other"
)

// DialError is the error of Dial.
type DialError struct {
	Addr   Address
	Reason Reason
	Err    error
}

func newDialError(addr Address, err error) *DialError {
	return &DialError{Addr: addr, Reason: reasonOf(err), Err: systemError(err)}
}

// systemError leaves out what package net adds: the address again, or the path
// of a descriptor.
func systemError(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}

// Error names the address and the system's error.
func (e *DialError) Error() string { return "dial " + e.Addr.String() + ": " + e.Err.Error() }

// Unwrap is the system's error.
func (e *DialError) Unwrap() error { return e.Err }

// Advice is the next step in plain words: one or two sentences for the person
// or the agent who has to mend the link.
func (e *DialError) Advice() string {
	if e.Addr.Scheme == schemeVsock {
		return e.vsockAdvice()
	}
	switch e.Reason {
	case Refused:
		return "The socket is there, but no host listens on it: start agentosd. If it runs, mount the socket's directory " +
			"into the sandbox, not the file, which a restart of agentosd replaces."
	case Missing:
		return "There is no such socket: start agentosd on this address, and mount the socket's directory into the sandbox."
	case Forbidden, NoDevice: // a sandbox may also say that it does not know the address family
		return "Connecting is blocked by a sandbox or by file modes here: allow " + e.Addr.Path +
			", name this user by uid= in the host's address, as the host sees it (a user namespace maps users), or set AGENTOS_ADDR to another address."
	case Timeout:
		return "The host did not answer in time: it is stopped, or has more connections waiting than it takes."
	default:
		return otherAdvice
	}
}

// hostCID is VMADDR_CID_HOST of vsock(7).
const hostCID = 2

func (e *DialError) vsockAdvice() string {
	port := strconv.FormatUint(uint64(e.Addr.Port), 10)
	if e.Addr.CID > hostCID && e.Reason != Forbidden {
		return "CID " + number(e.Addr.CID) + " is a VM's, perhaps this one's; a guest's host has CID 2: dial vsock://2:" + port + "."
	}
	switch e.Reason {
	case Refused, Reset:
		return "Nobody listens on port " + port + " at that CID: start agentosd on vsock://:" + port +
			", hybrid://…?port=" + port + " below Firecracker and Cloud Hypervisor, unix:// below libkrun. If it runs, uid= in its address has to be the VMM's user."
	case Forbidden:
		return "AF_VSOCK is blocked by a sandbox here, as container runtimes do by default: " +
			"set AGENTOS_ADDR to a unix:// address whose directory is mounted into the sandbox, or allow socket family 40."
	case Timeout:
		return "The host did not answer in time: it is stopped or busy, or nothing has that CID."
	case NoDevice:
		return "This kernel has no vsock device: start the VM with one and load vmw_vsock_virtio_transport, " +
			"or set AGENTOS_ADDR to a unix:// address."
	default:
		return otherAdvice
	}
}

const otherAdvice = "Check the address in AGENTOS_ADDR or /etc/agentos/addr, and run agentos doctor."

// reasonOf sorts a system error. It asks for errno values before the general
// questions, since several of them answer to more than one.
func reasonOf(err error) Reason {
	switch {
	case isAny(err, syscall.ECONNREFUSED):
		return Refused
	case isAny(err, syscall.ENODEV, syscall.EAFNOSUPPORT, errors.ErrUnsupported):
		return NoDevice
	case isAny(err, fs.ErrNotExist, syscall.ENOTDIR):
		return Missing
	case isAny(err, fs.ErrPermission):
		return Forbidden
	case isAny(err, context.DeadlineExceeded, os.ErrDeadlineExceeded, syscall.ETIMEDOUT):
		return Timeout
	case isAny(err, syscall.ECONNRESET):
		return Reset
	default:
		return Other
	}
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
