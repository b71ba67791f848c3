package vhostuser

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// region is a piece of the guest's memory, mapped into this process.
type region struct {
	guest  uint64 // where the guest has it
	user   uint64 // where the VMM has it
	bytes  []byte
	mapped []byte // what bytes is a part of
}

// memory is all of the guest's that the VMM shares. The guest writes to it as we
// read: what is decided on is copied first.
type memory []region

// mapMemory maps the regions of a memory table. The descriptors remain the
// message's.
func mapMemory(m *message) (memory, error) {
	n := native.Uint32(m.payload)
	if n > maxRegions || len(m.payload) != 8+int(n)*regionSize || len(m.descriptors) != int(n) {
		return nil, fmt.Errorf("%d regions in %d bytes with %d descriptors", n, len(m.payload), len(m.descriptors))
	}
	mem := make(memory, 0, n)
	for i, fd := range m.descriptors {
		r, err := mapRegion(m.payload[8+i*regionSize:], fd)
		if err != nil {
			mem.unmap()
			return nil, fmt.Errorf("region %d: %w", i, err)
		}
		mem = append(mem, r)
	}
	return mem, nil
}

// mapRegion maps the file from its start, as an offset need not be one that
// mmap(2) takes. A file that ends before the region does would be SIGBUS.
func mapRegion(b []byte, fd int) (region, error) {
	r := region{guest: native.Uint64(b), user: native.Uint64(b[16:])}
	size, offset := native.Uint64(b[8:]), native.Uint64(b[24:])
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return r, os.NewSyscallError("fstat", err)
	}
	file := uint64(max(stat.Size, 0))
	if size == 0 || size > file || offset > file-size || offset+size > math.MaxInt {
		return r, fmt.Errorf("%#x bytes at %#x of a file of %#x", size, offset, file)
	}
	if size > math.MaxUint64-r.guest || size > math.MaxUint64-r.user {
		return r, fmt.Errorf("%#x bytes at the addresses %#x and %#x", size, r.guest, r.user)
	}
	var err error
	r.mapped, err = syscall.Mmap(fd, 0, int(offset+size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return r, os.NewSyscallError("mmap", err)
	}
	r.bytes = r.mapped[offset:]
	return r, nil
}

func (m memory) unmap() {
	for _, r := range m {
		_ = syscall.Munmap(r.mapped) // it is what Mmap returned
	}
}

// after is what follows the address in a region that starts at base, nothing if
// the address is not in it.
func (r *region) after(base, address uint64) []byte {
	if address < base || address-base >= uint64(len(r.bytes)) {
		return nil
	}
	return r.bytes[address-base:]
}

// ring is memory by the VMM's address, which has to be in one region.
func (m memory) ring(address uint64, size int) ([]byte, error) {
	for i := range m {
		if b := m[i].after(m[i].user, address); len(b) >= size {
			return b[:size:size], nil
		}
	}
	return nil, fmt.Errorf("%d bytes at %#x are not in memory", size, address)
}

// appendParts appends the pieces of memory at the guest's address, which may
// reach over the end of a region into the next.
func (m memory) appendParts(parts [][]byte, address uint64, size uint32) ([][]byte, error) {
	for size > 0 {
		var part []byte
		for i := range m {
			if part = m[i].after(m[i].guest, address); part != nil {
				break
			}
		}
		if part == nil {
			return nil, fmt.Errorf("%d bytes at %#x are not in the guest's memory", size, address)
		}
		n := uint32(min(uint64(len(part)), uint64(size)))
		parts = append(parts, part[:n:n])
		address += uint64(n)
		size -= n
	}
	return parts, nil
}
