package archtest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const guestProgram = Module + "/shim/agentos"

func TestGuestBinary_links(t *testing.T) {
	dir, _, _ := repository(t)
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			linked, err := Linked(dir, guestProgram, arch)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, GuestBinary.Faults(linked))
		})
	}
}

func TestGuestBinary_isSmallAndStatic(t *testing.T) {
	dir, _, _ := repository(t)
	program := filepath.Join(t.TempDir(), "agentos")
	if err := Build(dir, guestProgram, runtime.GOARCH, program); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() >= GuestBinary.MaxBytes {
		t.Errorf("got %d bytes, want less than %d", info.Size(), GuestBinary.MaxBytes)
	}
	if static, err := IsStatic(file); err != nil || !static {
		t.Errorf("got static %v, error %v, want true, nil", static, err)
	}
}

func TestFaults(t *testing.T) {
	const ours = Module + "/"
	allowed := &Binary{
		Ours:   []string{"shim", "toolkit"},
		Others: []string{"example.com/vsock", "example.com/json/..."},
		Never:  []string{"net/http/..."},
	}
	tests := []struct {
		name   string
		linked []string
		want   []string
	}{
		{"exactly ours", []string{ours + "shim", ours + "toolkit"}, nil},
		{"one missing", []string{ours + "shim"}, []string{"toolkit should be linked and is not"}},
		{"one more", []string{ours + "shim", ours + "toolkit", ours + "host"}, []string{ours + "host may not be linked"}},
		{"allowed others", []string{ours + "shim", ours + "toolkit", "example.com/vsock", "example.com/json/text"}, nil},
		{"another other", []string{ours + "shim", ours + "toolkit", "example.com/vsock/x"}, []string{"example.com/vsock/x may not be linked"}},
		{"standard library", []string{ours + "shim", ours + "toolkit", "net", "fmt"}, nil},
		{"a large part of it", []string{ours + "shim", ours + "toolkit", "net/http"}, []string{"net/http may not be linked"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { same(t, allowed.Faults(tt.linked), tt.want) })
	}
}

func TestLinked_noSuchProgram(t *testing.T) {
	dir, _, _ := repository(t)
	if got, err := Linked(dir, Module+"/nowhere", "amd64"); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

func TestIsStatic(t *testing.T) {
	tests := []struct {
		name    string
		segment elf.ProgType
		want    bool
	}{
		{"code alone", elf.PT_LOAD, true},
		{"with a loader", elf.PT_INTERP, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := IsStatic(bytes.NewReader(program(t, tt.segment)))
			if err != nil || got != tt.want {
				t.Errorf("got %v, error %v, want %v, nil", got, err, tt.want)
			}
		})
	}
	if got, err := IsStatic(bytes.NewReader([]byte("#!/bin/sh\n"))); err == nil {
		t.Errorf("a script: got %v, want an error", got)
	}
}

// program is the smallest ELF file with one segment of the kind.
func program(t *testing.T, segment elf.ProgType) []byte {
	t.Helper()
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{
			0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT),
		},
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	var file bytes.Buffer
	for _, part := range []any{&header, &elf.Prog64{Type: uint32(segment)}} {
		if err := binary.Write(&file, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// The tests judge the program that make builds.
func TestSmall_isWhatMakeUses(t *testing.T) {
	dir, _, _ := repository(t)
	makefile, err := os.ReadFile(filepath.Join(dir, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nSMALL = " + strings.Join(Small, " ") + "\n"; !strings.Contains(string(makefile), want) {
		t.Errorf("the Makefile has not the line %q", want)
	}
}
