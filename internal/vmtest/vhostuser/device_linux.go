package vhostuser

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"sync"
)

// Options are what a device is made of.
type Options struct {
	// CID is the guest's context ID: at least 3, as 0 to 2 have other meanings,
	// and less than 2^32-1, which stands for any (VIRTIO 5.10.4).
	CID uint32
	// Path is what a VMM's own vsock device would have been given: the guest's
	// connect to port P becomes one to the Unix socket Path_P.
	Path string
	// Firecracker has the device treat ends of streams as Firecracker does: a
	// guest's half-close is not carried to the host, and the host's is taken as
	// the end of both directions, two seconds after which the connection is
	// forgotten. Otherwise half-closes are carried both ways, as by Cloud
	// Hypervisor.
	Firecracker bool
	// Log is told of VMMs that come and go and of connections that are refused;
	// nil says nothing.
	Log *slog.Logger
}

func (o *Options) check() error {
	if o.CID <= hostCID || o.CID == math.MaxUint32 {
		return fmt.Errorf("no guest can have the CID %d", o.CID)
	}
	if o.Path == "" {
		return errors.New("no path to connect guests to")
	}
	return nil
}

// Device waits for VMMs at a Unix socket and is the vsock device of one at a
// time.
type Device struct {
	options  Options
	listener *net.UnixListener
	serving  sync.WaitGroup // the goroutine that accepts and serves
	closing  sync.Once

	mu     sync.Mutex // guards the rest
	closed bool
	vm     *vm // nil between VMMs
}

// Listen waits at the Unix socket, which must not exist yet, for one VMM after
// another and serves each until it disconnects. The caller closes the device.
func Listen(socket string, o *Options) (*Device, error) {
	d := &Device{}
	if o != nil {
		d.options = *o
	}
	if err := d.options.check(); err != nil {
		return nil, fmt.Errorf("vhost-user: %w", err)
	}
	if d.options.Log == nil {
		d.options.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	if d.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"}); err != nil {
		return nil, fmt.Errorf("vhost-user: %w", err)
	}
	d.serving.Go(d.serve) // joined by Close
	return d, nil
}

// Close ends the VMM's connection and with it all connections of its guest, and
// returns when no goroutine and no descriptor of the device is left. Closing it
// again does nothing.
func (d *Device) Close() error {
	var err error
	d.closing.Do(func() {
		err = d.listener.Close()
		d.mu.Lock()
		d.closed = true
		vm := d.vm
		d.mu.Unlock()
		if vm != nil {
			vm.fail(net.ErrClosed)
		}
		d.serving.Wait()
	})
	return err
}

func (d *Device) serve() {
	for {
		socket, err := d.listener.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			d.options.Log.Error("no more VMMs are accepted", "err", err)
			return
		}
		d.serveVMM(socket)
	}
}

func (d *Device) serveVMM(socket *net.UnixConn) {
	vm := newVM(socket, &d.options)
	if !d.hold(vm) {
		_ = socket.Close()
		return
	}
	d.options.Log.Info("a VMM is connected")
	err := vm.serve()
	d.hold(nil)
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		d.options.Log.Info("the VMM is disconnected")
	} else {
		d.options.Log.Warn("the VMM is disconnected", "err", err)
	}
}

// hold says whom Close ends, unless it has come already.
func (d *Device) hold(vm *vm) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.vm = vm
	return true
}
