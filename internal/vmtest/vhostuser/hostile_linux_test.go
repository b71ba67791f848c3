package vhostuser

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const (
	transmitGuest = lowGuest + transmitAt
	nowhere       = highGuest + regionLen // the first address behind the memory
)

// What is wrong with what the guest's driver offers ends the VMM's connection,
// and the next VMM finds nothing of it.
func TestHostile_Chains(t *testing.T) {
	one := func(address uint64, length uint32, flags, next uint16) func(d *driver) {
		return func(d *driver) {
			d.describe(0, address, length, flags, next)
			d.offer(0)
		}
	}
	tests := []struct {
		name   string
		deed   func(d *driver)
		reason string
	}{
		{"a loop of one", one(transmitGuest, 1, descriptorNext, 0), "loop"},
		{"a loop of two", func(d *driver) {
			d.describe(1, transmitGuest, 0, descriptorNext, 0)
			one(transmitGuest, 44, descriptorNext, 1)(d)
		}, "loop"},
		{"a head that is no descriptor", func(d *driver) { d.offer(driverSize) }, "descriptor 128 in a queue of 128"},
		{"a next that is no descriptor", one(transmitGuest, 1, descriptorNext, math.MaxUint16), "descriptor 65535 in a queue of 128"},
		{"before the memory", one(0, 1, 0, 0), "not in the guest's memory"},
		{"behind the memory", one(nowhere, 1, 0, 0), "not in the guest's memory"},
		{"over the end of the memory", one(nowhere-44, 45, 0, 0), "not in the guest's memory"},
		{"over the end of all addresses", one(math.MaxUint64-10, 44, 0, 0), "not in the guest's memory"},
		{"longer than the memory", one(lowGuest, math.MaxUint32, 0, 0), "not in the guest's memory"},
		{"a table of descriptors", one(transmitGuest, 16, 4, 0), "flags 0x4"},
		{"flags that do not exist", one(transmitGuest, 44, 0x8000, 0), "flags 0x8000"},
		{"to be written to", one(transmitGuest, 44, descriptorWrite, 0), "flags 0x2"},
		{"no header", one(transmitGuest, 0, 0, 0), "a packet of 0 bytes"},
		{"a short header", one(transmitGuest, headerSize-1, 0, 0), "a packet of 43 bytes"},
		{"more data than the chain has", func(d *driver) {
			h := header{srcCID: guestCID, dstCID: hostCID, kind: typeStream, op: opData, length: 101}
			copy(d.vmm.bytes(transmitAt, headerSize), h.encode())
			one(transmitGuest, headerSize+100, 0, 0)(d)
		}, "its data is 101"},
		{"more chains than the queue has", func(d *driver) {
			d.offered += driverSize
			d.offer(0)
		}, "129 chains are offered in a queue of 128"},
		{"chains taken back", func(d *driver) {
			d.offered -= 2
			d.offer(0)
		}, "65535 chains are offered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := listen(t, false)
			g := b.bootGuest(t)
			tt.deed(g.tx)
			g.expectGone(b, tt.reason)
			l := b.host(t, 52)
			b.bootGuest(t).dial(52)
			accept(t, l)
		})
	}
}

// The same of buffers for the device to fill, which it does when it has something
// to say.
func TestHostile_Buffers(t *testing.T) {
	tests := []struct {
		name    string
		address uint64
		length  uint32
		flags   uint16
		reason  string
	}{
		{"to be read", lowGuest + receiveAt, 4096, 0, "flags 0x0"},
		{"no room for a header", lowGuest + receiveAt, headerSize - 1, descriptorWrite, "a buffer of 43 bytes"},
		{"behind the memory", nowhere, 4096, descriptorWrite, "not in the guest's memory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := listen(t, false)
			v := b.connect(t)
			v.boot()
			v.rx.describe(0, tt.address, tt.length, tt.flags, 0)
			v.rx.offer(0)
			newGuest(v).put(header{op: opData}, nil)
			v.expectGone(b, tt.reason)
		})
	}
}

// Chains of any shape are fine as long as they are all there.
func TestQueue_ChainsOfAnyShape(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	g := guest.guest
	text := pattern(77)
	send := func(at uint64, lengths ...uint32) {
		t.Helper()
		h := header{
			srcCID: guestCID, dstCID: hostCID, srcPort: guest.key.guest, dstPort: 52,
			kind: typeStream, op: opData, length: uint32(len(text)), bufAlloc: guest.buffer,
		}
		packet := append(h.encode(), text...)
		for i, n := range lengths {
			next, flags := uint16(i+1), uint16(descriptorNext)
			if i == len(lengths)-1 {
				flags = 0
			}
			g.tx.describe(uint16(i), at, n, flags, next)
			for range n {
				g.guestByte(at, packet[0])
				packet, at = packet[1:], at+1
			}
		}
		g.tx.offer(0)
		g.tx.await(&g.quit)
		hostReads(t, host, string(text))
	}
	send(transmitGuest, headerSize+77)
	send(transmitGuest, 1, 0, 42, 2, 0, 76)
	send(transmitGuest, append(slices.Repeat([]uint32{1}, 120), 0, 0, 0, 0, 0, 0, 0, 1)...)
	send(highGuest-50, headerSize+77) // over the border of two regions
	send(highGuest-1, 3, headerSize+74)
}

// guestByte sets a byte at a guest's address.
func (v *vmm) guestByte(at uint64, value byte) {
	if at >= highGuest {
		v.memory[highFile+at-highGuest] = value
	} else {
		v.memory[lowFile+at-lowGuest] = value
	}
}

// What is wrong with a request ends the VMM's connection.
func TestHostile_Requests(t *testing.T) {
	file := func(v *vmm) int { return int(v.file.Fd()) }
	table := func(numbers ...uint64) func(v *vmm) {
		return func(v *vmm) { v.say(requestSetMemTable, words(numbers...), file(v)) }
	}
	say := func(id uint32, payload []byte) func(v *vmm) { return func(v *vmm) { v.say(id, payload) } }
	// started has the queue started before, kick has it placed elsewhere and started.
	started := func(id uint32, payload []byte) func(v *vmm) {
		return func(v *vmm) {
			v.boot()
			v.say(id, payload)
		}
	}
	kick := func(size uint32, addresses ...uint64) func(v *vmm) {
		return func(v *vmm) {
			v.set(requestSetMemTable, v.table(), file(v), file(v))
			v.set(requestSetVringNum, state(0, size))
			v.set(requestSetVringAddr, append(state(0, 0), words(append(addresses, 0)...)...))
			v.say(requestSetVringKick, number(0), descriptor(v.rx.kick))
		}
	}
	const far = math.MaxUint64
	tests := []struct {
		name   string
		deed   func(v *vmm)
		reason string
	}{
		{"unknown", say(99, nil), "request 99 is none that we know"},
		{"of another version", func(v *vmm) { v.write(requestSetOwner, 2, nil) }, "has the flags 0x2"},
		{"a reply", func(v *vmm) { v.write(requestSetOwner, flagVersion|flagReply, nil) }, "has the flags 0x5"},
		{"too long", say(requestSetMemTable, make([]byte, maxPayload+1)), "has 265 bytes"},
		{"too long for its kind", say(requestSetVringNum, make([]byte, 9)), "set vring num: 9 bytes, not 8"},
		{"too short for its kind", say(requestSetVringAddr, make([]byte, 39)), "set vring addr: 39 bytes, not 40"},
		{"cut off in the header", func(v *vmm) { v.socket.Write([]byte{1, 0, 0}); v.socket.CloseWrite() }, "unexpected EOF"},
		{"cut off in the payload", func(v *vmm) { v.socket.Write(append(state(8, 1), 8, 0, 0, 0)); v.socket.CloseWrite() }, "unexpected EOF"},
		{"more descriptors than there are regions", func(v *vmm) {
			v.say(requestSetOwner, nil, slices.Repeat([]int{file(v)}, maxRegions+1)...)
		}, "more than 8 descriptors"},
		{"features that are not offered", say(requestSetFeatures, number(1<<28)), "set features: 0x10000000"},
		{"protocol features that are not offered", say(requestSetProtocolFeatures, number(1)), "set protocol features: 0x1"},

		{"no memory table", say(requestSetMemTable, nil), "no number of regions"},
		{"a table without its regions", table(1), "1 regions in 8 bytes"},
		{"a table of too many regions", table(9), "9 regions"},
		{"a table of very many regions", table(math.MaxUint32), "4294967295 regions"},
		{"a region without a descriptor", say(requestSetMemTable, words(1, 0, 1, 0, 0)), "with 0 descriptors"},
		{"an empty region", table(1, 0, 0, 0, 0), "0x0 bytes at 0x0 of a file"},
		{"a region longer than its file", table(1, 0, fileLen+1, 0, 0), "bytes at 0x0 of a file"},
		{"a region that begins behind its file", table(1, 0, 1, 0, fileLen), "0x1 bytes at 0x201000 of a file"},
		{"a region that begins far behind its file", table(1, 0, 2, 0, far), "0x2 bytes at 0xffffffffffffffff of a file"},
		{"a region over the end of the guest's addresses", table(1, far, 2, 0, 0), "at the addresses 0xffffffffffffffff and 0x0"},
		{"a region over the end of the VMM's addresses", table(1, 0, 2, far, 0), "at the addresses 0x0 and 0xffffffffffffffff"},
		{"a region of no file", func(v *vmm) {
			v.say(requestSetMemTable, words(1, 0, 1, 0, 0), descriptor(v.rx.kick))
		}, "of a file of 0x0"},
		{"the second of two regions", func(v *vmm) {
			v.say(requestSetMemTable, words(2, 0, 4096, 0, 0, 4096, 4096, 4096, fileLen), file(v), file(v))
		}, "region 1: "},
		{"memory without the rings that run", func(v *vmm) {
			v.boot()
			v.say(requestSetMemTable, words(1, lowGuest, 4096, lowUser, 0), file(v))
		}, "available ring: "},

		{"a queue that is not there", say(requestSetVringNum, state(3, 1)), "queue 3, where there are 3"},
		{"the base of a queue that is not there", say(requestGetVringBase, state(math.MaxUint32, 0)), "queue 4294967295"},
		{"to enable a queue that is not there", say(requestSetVringEnable, state(4, 1)), "queue 4"},
		{"to enable a queue by half", say(requestSetVringEnable, state(0, 2)), "state 2"},
		{"an eventfd for a queue that is not there", say(requestSetVringCall, number(255|vringNoFD)), "queue 255"},
		{"an eventfd that does not come", say(requestSetVringCall, number(0)), "0x0 with 0 descriptors"},
		{"an eventfd that should not come", func(v *vmm) {
			v.say(requestSetVringErr, number(vringNoFD), descriptor(v.rx.call))
		}, "0x100 with 1 descriptors"},
		{"two eventfds", func(v *vmm) {
			v.say(requestSetVringCall, number(0), descriptor(v.rx.call), descriptor(v.rx.kick))
		}, "0x0 with 2 descriptors"},
		{"an eventfd for more than a queue", say(requestSetVringErr, number(1<<9|vringNoFD)), "0x300 with 0 descriptors"},
		{"a queue of none", say(requestSetVringNum, state(0, 0)), "a queue of 0"},
		{"a queue of three", say(requestSetVringNum, state(0, 3)), "a queue of 3"},
		{"a queue that is too large", say(requestSetVringNum, state(0, 65536)), "a queue of 65536"},
		{"an index that is too large", say(requestSetVringBase, state(0, 65536)), "index 65536"},
		{"a log", say(requestSetVringAddr, append(state(0, 1), words(0, 0, 0, 0)...)), "the flags 0x1"},
		{"another size of a queue that runs", started(requestSetVringNum, state(0, 64)), "the queue is started"},
		{"another place of a queue that runs", started(requestSetVringAddr, append(state(1, 0), words(0, 0, 0, 0)...)), "the queue is started"},
		{"another base of a queue that runs", started(requestSetVringBase, state(0, 64)), "the queue is started"},

		{"to start a queue without memory", func(v *vmm) {
			v.say(requestSetVringKick, number(0), descriptor(v.rx.kick))
		}, "a queue of 0"},
		{"to start a queue by polling", say(requestSetVringKick, number(vringNoFD)), "queues are not polled"},
		{"to start a queue by a file", func(v *vmm) {
			v.say(requestSetVringKick, number(0), file(v))
		}, "file type does not support deadline"},
		{"descriptors at an odd place", kick(8, lowUser+8, lowUser, lowUser), "a queue of 8 at 0x700000000008"},
		{"a used ring at an odd place", kick(8, lowUser, lowUser+2, lowUser), "a queue of 8"},
		{"an available ring at an odd place", kick(8, lowUser, lowUser, lowUser+2), "a queue of 8"},
		{"descriptors over the end", kick(8, lowUser+regionLen-112, lowUser, lowUser), "descriptors: 128 bytes"},
		{"a used ring over the end", kick(8, lowUser, lowUser+regionLen-64, lowUser), "used ring: 68 bytes"},
		{"an available ring over the end", kick(8, lowUser, lowUser, lowUser+regionLen-16), "available ring: 20 bytes"},
		{"a large queue over the end", kick(32768, lowUser+regionLen-262144, lowUser, lowUser), "descriptors: 524288 bytes"},
		{"rings at an odd place of the file", func(v *vmm) {
			v.set(requestSetMemTable, words(1, lowGuest, 4096, lowUser, 1), file(v))
			v.rx.place()
			v.say(requestSetVringKick, number(0), descriptor(v.rx.kick))
		}, "available ring: "},

		{"no part of the configuration", say(requestGetConfig, make([]byte, 11)), "get config: 11 bytes"},
		{"more than the configuration", say(requestGetConfig, append(state(1, 8), make([]byte, 12)...)), "8 bytes at 1"},
		{"a part of another length", say(requestGetConfig, append(state(0, 8), make([]byte, 11)...)), "in a payload of 19"},
		{"very much of the configuration", say(requestGetConfig, append(state(math.MaxUint32, math.MaxUint32), make([]byte, 12)...)), "4294967295 bytes at 4294967295"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := listen(t, false)
			v := b.connect(t)
			v.negotiate()
			tt.deed(v)
			v.expectGone(b, tt.reason)
		})
	}
}

// negotiate has requests acknowledged from now on.
func (v *vmm) negotiate() {
	v.t.Helper()
	v.set(requestSetProtocolFeatures, number(protocolFeatures))
}

// A kick that cannot come any more ends the VMM's connection too.
func TestHostile_KickThatEnds(t *testing.T) {
	b := listen(t, false)
	v := b.connect(t)
	v.boot()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	v.set(requestSetVringKick, number(0), descriptor(r))
	r.Close()
	w.Close()
	v.expectGone(b, "wait for a kick: unexpected EOF")
}

// A VMM that names descriptors of other things than files and eventfds.
func TestHostile_MemoryOfADirectory(t *testing.T) {
	b := listen(t, false)
	v := b.connect(t)
	dir, err := os.Open(filepath.Dir(b.socket))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	v.say(requestSetMemTable, words(1, 0, 1, 0, 0), int(dir.Fd()))
	v.expectGone(b, "region 0: ")
}

// No memory makes following a chain fail otherwise than with an error.
func FuzzQueue_Pop(f *testing.F) {
	f.Add(uint16(1), uint16(0), []byte("\x00\x10\x00\x00\x00\x00\x00\x00\x2c\x00\x00\x00\x00\x00\x00\x00"))
	f.Add(uint16(1), uint16(3), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"))
	f.Add(uint16(9), uint16(0), []byte{})
	f.Fuzz(func(t *testing.T, offered, head uint16, descriptors []byte) {
		m := memory{{guest: 0x1000, bytes: make([]byte, 0x1000)}, {guest: 0x2000, bytes: make([]byte, 0x100)}}
		q := &queue{size: 8, call: -1, descriptors: make([]byte, 8*descriptorSize), available: make([]byte, 4+8*2), used: make([]byte, 4+8*8)}
		copy(q.descriptors, descriptors)
		storeRing(q.available, offered)
		binary.LittleEndian.PutUint16(q.available[ringHeader:], head)
		c, ok, err := q.pop(m)
		if ok && err == nil {
			readPacket(&c)
			q.push(c.head, 0)
		}
	})
}

// No payload makes a request fail otherwise than with an error.
func FuzzRequest(f *testing.F) {
	for id := range requests {
		f.Add(id, []byte{})
		f.Add(id, make([]byte, 8))
		f.Add(id, make([]byte, 40))
	}
	f.Fuzz(func(t *testing.T, id uint32, payload []byte) {
		ends, err := socketPair()
		if err != nil {
			t.Fatal(err)
		}
		defer ends[0].Close()
		defer ends[1].Close()
		v := newVM(ends[0], &Options{CID: guestCID, Path: "v"})
		v.answerRequest(&message{request: id, payload: payload})
	})
}
