package vhostuser

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long anything may take that has to happen.
const patience = 20 * time.Second

const guestCID = 3

// bench is a device, what it logs and where it connects to.
type bench struct {
	device *Device
	socket string
	path   string
	log    lines
}

// lines has each line of a log.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default: // nobody reads so many
	}
	return len(p), nil
}

// await waits for a line with that text.
func (l lines) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(patience)
	var seen []string
	for {
		select {
		case line := <-l:
			if strings.Contains(line, text) {
				return
			}
			seen = append(seen, line)
		case <-limit:
			t.Fatalf("nothing is logged of %q, only:\n%s", text, strings.Join(seen, ""))
		}
	}
}

func listen(t *testing.T, firecracker bool) *bench {
	t.Helper()
	leavesNothing(t)
	dir, err := os.MkdirTemp("", "") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &bench{socket: filepath.Join(dir, "vmm"), path: filepath.Join(dir, "v"), log: make(lines, 10_000)}
	log := slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b.device, err = Listen(b.socket, &Options{CID: guestCID, Path: b.path, Firecracker: firecracker, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.device.Close(); err != nil {
			t.Errorf("close the device: %v", err)
		}
	})
	return b
}

// vm is what the device has of the VMM that is connected.
func (b *bench) vm() *vm {
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	return b.device.vm
}

// host listens where the guest's connections to the port arrive.
func (b *bench) host(t *testing.T, port uint32) *net.UnixListener {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fmt.Sprintf("%s_%d", b.path, port), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func accept(t *testing.T, l *net.UnixListener) *net.UnixConn {
	t.Helper()
	l.SetDeadline(time.Now().Add(patience))
	conn, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return conn
}

// until waits for a condition that has no other sign.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !condition(); runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatalf("it never came true: %s", what)
		}
	}
}

// leavesNothing wants no descriptor and no piece of a guest's memory left when the
// test and all that it cleans up is over.
func leavesNothing(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe() // what Go opens once for polling is open from now on
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	before := descriptors(t)
	t.Cleanup(func() {
		if after := descriptors(t); len(after) > len(before) {
			t.Errorf("%d descriptors are open, %d were before:\n%s", len(after), len(before), strings.Join(after, "\n"))
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(maps, []byte(memoryName)); n > 0 {
			t.Errorf("%d pieces of guests' memory are still mapped", n)
		}
	})
}

func descriptors(t *testing.T) (open []string) {
	t.Helper()
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(dir, entry.Name())); err == nil {
			open = append(open, entry.Name()+" "+target)
		}
	}
	return open
}

// The memory of our guests is one file with two regions, which follow each other
// for the guest and for nobody else.
const (
	memoryName = "memory-of-a-guest"
	regionLen  = 1 << 20
	fileLen    = 2*regionLen + 0x1000

	lowGuest, lowUser, lowFile    = 0x10_0000, 0x7000_0000_0000, regionLen + 0x1000
	highGuest, highUser, highFile = lowGuest + regionLen, 0x6000_0000_0000, 0x1000
)

// vmm is the front end, and the machine of its guest.
type vmm struct {
	t      *testing.T
	socket *net.UnixConn
	file   *os.File // the guest's memory
	memory []byte   // the same
	rx, tx *driver
}

// connect connects a VMM that has said nothing yet.
func (b *bench) connect(t *testing.T) *vmm {
	t.Helper()
	socket, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: b.socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	socket.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { socket.Close() })
	v := &vmm{t: t, socket: socket}
	v.allocate()
	v.rx = v.newDriver(receiveQueue, 0)
	v.tx = v.newDriver(transmitQueue, 0x4000)
	return v
}

// allocate gives the guest memory.
func (v *vmm) allocate() {
	v.t.Helper()
	fd, err := unix.MemfdCreate(memoryName, unix.MFD_CLOEXEC)
	if err != nil {
		v.t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), memoryName)
	v.t.Cleanup(func() { file.Close() })
	if err := file.Truncate(fileLen); err != nil {
		v.t.Fatal(err)
	}
	memory, err := syscall.Mmap(fd, 0, fileLen, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { syscall.Munmap(memory) })
	v.file, v.memory = file, memory
}

// boot does all that QEMU does until the guest's driver is ready.
func (v *vmm) boot() {
	v.t.Helper()
	if got := v.number(requestGetFeatures); got != features {
		v.t.Fatalf("features %#x, want %#x", got, features)
	}
	if got := v.number(requestGetProtocolFeatures); got != protocolFeatures {
		v.t.Fatalf("protocol features %#x, want %#x", got, protocolFeatures)
	}
	v.say(requestSetProtocolFeatures, number(protocolFeatures))
	v.say(requestSetOwner, nil)
	v.say(requestSetFeatures, number(features))
	v.set(requestSetMemTable, v.table(), int(v.file.Fd()), int(v.file.Fd()))
	for _, d := range []*driver{v.rx, v.tx} {
		d.start()
		v.set(requestSetVringEnable, state(d.index, 1))
	}
}

// table is a memory table of both regions.
func (v *vmm) table() []byte {
	return words(2, lowGuest, regionLen, lowUser, lowFile, highGuest, regionLen, highUser, highFile)
}

// words is a payload of 64-bit numbers.
func words(numbers ...uint64) (payload []byte) {
	for _, n := range numbers {
		payload = append(payload, number(n)...)
	}
	return payload
}

// state is a vring state.
func state(index uint32, n uint32) []byte {
	return native.AppendUint32(native.AppendUint32(nil, index), n)
}

// write sends a message as it is.
func (v *vmm) write(id, flags uint32, payload []byte, fds ...int) error {
	b := native.AppendUint32(native.AppendUint32(native.AppendUint32(nil, id), flags), uint32(len(payload)))
	var oob []byte
	if len(fds) > 0 {
		oob = syscall.UnixRights(fds...)
	}
	_, _, err := v.socket.WriteMsgUnix(append(b, payload...), oob, nil)
	return err
}

// say sends a request that has no reply.
func (v *vmm) say(id uint32, payload []byte, fds ...int) {
	v.t.Helper()
	if err := v.write(id, flagVersion, payload, fds...); err != nil {
		v.t.Fatalf("request %d: %v", id, err)
	}
}

// ask sends a request and reads the reply.
func (v *vmm) ask(id, flags uint32, payload []byte, fds ...int) []byte {
	v.t.Helper()
	if err := v.write(id, flagVersion|flags, payload, fds...); err != nil {
		v.t.Fatalf("request %d: %v", id, err)
	}
	var h [messageHeader]byte
	if _, err := io.ReadFull(v.socket, h[:]); err != nil {
		v.t.Fatalf("reply to request %d: %v", id, err)
	}
	if got, flags := native.Uint32(h[:]), native.Uint32(h[4:]); got != id || flags != flagVersion|flagReply {
		v.t.Fatalf("reply to request %d: request %d, flags %#x", id, got, flags)
	}
	reply := make([]byte, native.Uint32(h[8:]))
	if _, err := io.ReadFull(v.socket, reply); err != nil {
		v.t.Fatalf("reply to request %d: %v", id, err)
	}
	return reply
}

func (v *vmm) number(id uint32) uint64 {
	v.t.Helper()
	return native.Uint64(v.ask(id, 0, nil))
}

// set has a request acknowledged.
func (v *vmm) set(id uint32, payload []byte, fds ...int) {
	v.t.Helper()
	if got := v.ask(id, flagNeedReply, payload, fds...); !bytes.Equal(got, number(0)) {
		v.t.Fatalf("request %d: reply %x, want zero", id, got)
	}
}

// expectGone waits for the device to end the connection, for a reason like that.
func (v *vmm) expectGone(b *bench, reason string) {
	v.t.Helper()
	if _, err := io.ReadAll(v.socket); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		v.t.Errorf("the connection ends with %v, want the end", err)
	}
	b.log.await(v.t, reason)
}

// driver is the guest's side of a queue.
type driver struct {
	vmm        *vmm
	index      uint32
	at         uint64 // of the rings, from the start of the low region
	size       uint16
	offered    uint16
	seen       uint16
	kick, call *os.File
}

const driverSize = 128

func (v *vmm) newDriver(index uint32, at uint64) *driver {
	d := &driver{vmm: v, index: index, at: at, size: driverSize}
	for _, file := range []**os.File{&d.kick, &d.call} {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			v.t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), "eventfd")
		v.t.Cleanup(func() { f.Close() })
		*file = f
	}
	return d
}

// Where the rings are, from the start of the low region.
func (d *driver) rings() (descriptors, available, used uint64) {
	return d.at, d.at + 0x1000, d.at + 0x2000
}

// descriptor is the number of an open file that stays non-blocking.
func descriptor(f *os.File) (fd int) {
	raw, err := f.SyscallConn()
	if err == nil {
		err = raw.Control(func(n uintptr) { fd = int(n) })
	}
	if err != nil {
		return -1
	}
	return fd
}

// place says where the queue is and goes on where the driver is.
func (d *driver) place() {
	descriptors, available, used := d.rings()
	d.vmm.set(requestSetVringNum, state(d.index, uint32(d.size)))
	d.vmm.set(requestSetVringBase, state(d.index, uint32(d.seen)))
	d.vmm.set(requestSetVringAddr, append(state(d.index, 0), words(lowUser+descriptors, lowUser+used, lowUser+available, 0)...))
}

func (d *driver) start() {
	d.place()
	d.vmm.set(requestSetVringKick, number(uint64(d.index)), descriptor(d.kick))
	d.vmm.set(requestSetVringCall, number(uint64(d.index)), descriptor(d.call))
}

// stop stops the queue and wants it to be where the driver is.
func (d *driver) stop() {
	d.vmm.t.Helper()
	got := d.vmm.ask(requestGetVringBase, 0, state(d.index, 0))
	if want := state(d.index, uint32(d.seen)); !bytes.Equal(got, want) {
		d.vmm.t.Errorf("queue %d stops at %x, want %x", d.index, got, want)
	}
}

// bytes is memory from an offset in the low region on.
func (v *vmm) bytes(offset, n uint64) []byte { return v.memory[lowFile+offset:][:n] }

// describe fills a descriptor.
func (d *driver) describe(i uint16, address uint64, length uint32, flags, next uint16) {
	at, _, _ := d.rings()
	b := d.vmm.bytes(at+uint64(i)*16, 16)
	binary.LittleEndian.PutUint64(b, address)
	binary.LittleEndian.PutUint32(b[8:], length)
	binary.LittleEndian.PutUint16(b[12:], flags)
	binary.LittleEndian.PutUint16(b[14:], next)
}

// offer makes a chain available.
func (d *driver) offer(head uint16) {
	_, at, _ := d.rings()
	ring := d.vmm.bytes(at, 4+2*uint64(d.size))
	binary.LittleEndian.PutUint16(ring[4+2*(d.offered%d.size):], head)
	d.offered++
	storeRing(ring, d.offered)
	d.notify()
}

func (d *driver) notify() {
	if _, err := d.kick.Write(number(1)); err != nil {
		d.vmm.t.Errorf("kick: %v", err)
	}
}

// done is whether there is a used chain, and which.
func (d *driver) done() (head uint16, n uint32, ok bool) {
	_, _, at := d.rings()
	ring := d.vmm.bytes(at, 4+8*uint64(d.size))
	if _, index := loadRing(ring); index == d.seen {
		return 0, 0, false
	}
	entry := ring[4+8*(d.seen%d.size):]
	d.seen++
	return uint16(binary.LittleEndian.Uint32(entry)), binary.LittleEndian.Uint32(entry[4:]), true
}

// await waits for a used chain, without which it stops the test, or for the queue
// to be given up.
func (d *driver) await(gaveUp *atomic.Bool) (head uint16, n uint32, ok bool) {
	d.call.SetReadDeadline(time.Now().Add(patience))
	for {
		if head, n, ok := d.done(); ok || gaveUp.Load() {
			return head, n, ok
		}
		if _, err := d.call.Read(make([]byte, 8)); err != nil {
			d.vmm.t.Errorf("queue %d: no chain comes back: %v", d.index, err)
			return 0, 0, false
		}
	}
}
