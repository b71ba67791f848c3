package machine

import (
	"bufio"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is the files that a VM boots into, its initramfs. The zero Tree is empty.
type Tree struct{ files map[string]file }

// file is a regular file or a symbolic link; directories follow from the names.
type file struct {
	mode fs.FileMode
	data []byte // of a link: where it points
}

// Add puts a file with these contents there, or a symbolic link to them, by the mode.
// Names are relative to the root.
func (t *Tree) Add(name string, mode fs.FileMode, data []byte) {
	if t.files == nil {
		t.files = map[string]file{}
	}
	t.files[strings.TrimPrefix(path.Clean(name), "/")] = file{mode, data}
}

// Copy puts a file of this machine there, with its mode, or what it links to.
func (t *Tree) Copy(name, source string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(source)
	if err == nil {
		t.Add(name, info.Mode().Perm(), data)
	}
	return err
}

// CopyAll puts the files below a directory of this machine below the one of that
// name. Links are kept.
func (t *Tree) CopyAll(name, source string) error {
	return filepath.WalkDir(source, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(source, at)
		if err != nil {
			return err
		}
		switch to := path.Join(name, below); entry.Type() {
		case fs.ModeSymlink:
			target, err := os.Readlink(at)
			t.Add(to, fs.ModeSymlink, []byte(target))
			return err
		case 0:
			return t.Copy(to, at)
		default:
			return nil
		}
	})
}

// Program puts a program of this machine where it is here, and the libraries that it is
// linked with.
func (t *Tree) Program(ctx context.Context, program string) error {
	if err := t.Copy(program, program); err != nil {
		return err
	}
	out, err := run(ctx, "", "ldd", program)
	if err != nil {
		return err
	}
	for word := range strings.FieldsSeq(out) {
		if !filepath.IsAbs(word) {
			continue
		}
		if err := t.Copy(word, word); err != nil {
			return err
		}
	}
	return nil
}

// firmware are the files that QEMU needs to boot a kernel, and firmwareDirs where
// distributions have them.
var (
	firmware     = []string{"bios-256k.bin", "kvmvapic.bin", "linuxboot_dma.bin"}
	firmwareDirs = []string{"/usr/share/seabios", "/usr/share/qemu"}
)

// Emulator puts QEMU there, with its firmware, so that the VM has VMs of its own.
func (t *Tree) Emulator(ctx context.Context) error {
	program, err := find(Program)
	if err != nil {
		return err
	}
	if err := t.Program(ctx, program); err != nil {
		return err
	}
	for _, name := range firmware {
		var places []string
		for _, dir := range firmwareDirs {
			places = append(places, filepath.Join(dir, name))
		}
		file, err := find(name, places...)
		if err != nil {
			return err
		}
		if err := t.Copy(path.Join("usr/share/qemu", name), file); err != nil {
			return err
		}
	}
	return nil
}

// start is the first process. It runs the script that the kernel's command line names
// as main. On the second serial line it says every five seconds that the VM lives, and
// at last how the script ended.
const start = `#!/bin/sh
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /tmp /run /root
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
ip link set lo up
while read -r module; do
	insmod "/lib/modules/$module" || echo "bad module $module" >/dev/ttyS1
done </lib/modules/order
stty -F /dev/ttyS1 raw -echo
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin HOME=/root
(while echo tick >/dev/ttyS1; do sleep 5; done) &
cd /root
setsid -c sh "$main" </dev/ttyS0 >/dev/ttyS0 2>&1
echo "exit $?" >/dev/ttyS1
echo 0 >/proc/sys/kernel/printk
poweroff -f
`

// Base puts the first process there, a shell with its tools (busybox), and the
// kernel's modules of these names, which are loaded at the start.
func (t *Tree) Base(k *Kernel, modules []string) error {
	busybox, err := find("busybox", "/bin/busybox", "/usr/bin/busybox")
	if err != nil {
		return err
	}
	if err := static(busybox); err != nil {
		return err
	}
	if err := t.Copy("bin/busybox", busybox); err != nil {
		return err
	}
	t.Add("bin/sh", fs.ModeSymlink, []byte("busybox"))
	t.Add("init", 0o755, []byte(start))
	t.Add("etc/passwd", 0o644, []byte("root:x:0:0::/root:/bin/sh\nagent:x:1000:1000::/tmp:/bin/sh\n"))
	t.Add("etc/group", 0o644, []byte("root:x:0:\nagent:x:1000:\n"))
	t.Add("root/.profile", 0o644, nil)
	return t.Modules("lib/modules", k, modules)
}

// Modules puts modules of these names in a directory, with a file "order" that names
// them, and what else Kernel.Modules has to have.
func (t *Tree) Modules(dir string, k *Kernel, names []string) error {
	files, err := k.modules(names)
	if err != nil {
		return err
	}
	var order strings.Builder
	for _, file := range append(files, filepath.Join(k.Modules, builtinList)) {
		name := filepath.Base(file)
		if name != builtinList {
			fmt.Fprintln(&order, name)
		}
		if err := t.Copy(path.Join(dir, name), file); err != nil {
			return err
		}
	}
	t.Add(path.Join(dir, "order"), 0o644, []byte(order.String()))
	return nil
}

// static says whether a program runs without libraries.
func static(program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err == nil && len(libraries) > 0 {
		err = fmt.Errorf("%s needs %s, which a VM has not: apt-get install busybox-static", program, strings.Join(libraries, ", "))
	}
	return err
}

// WriteFile writes the tree as a cpio archive in the "new ASCII" format, which is what
// Linux unpacks (buffer-format.rst in its documentation of early user space).
func (t *Tree) WriteFile(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	out := &cpio{w: bufio.NewWriter(f)}
	for _, name := range t.names() {
		file, ok := t.files[name]
		if !ok {
			file.mode = fs.ModeDir | 0o755
		}
		out.add(name, file)
	}
	out.add("TRAILER!!!", file{})
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.err
}

// names are the names of all files and of the directories above them, in order.
func (t *Tree) names() []string {
	all := map[string]bool{}
	for name := range t.files {
		for ; name != "." && !all[name]; name = path.Dir(name) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// cpio writes an archive. After an error it writes nothing more.
type cpio struct {
	w     *bufio.Writer
	inode int
	err   error
}

// add writes an entry: a header of 13 numbers, the name and the contents, the last two
// filled up to a multiple of four bytes.
func (c *cpio) add(name string, f file) {
	c.inode++
	const magic, headerLen = "070701", 110
	header := magic
	for _, n := range []int{c.inode, unixMode(f.mode), 0, 0, 1, 0, len(f.data), 0, 0, 0, 0, len(name) + 1, 0} {
		header += fmt.Sprintf("%08X", n)
	}
	c.write(header + name + "\x00")
	c.fill(headerLen + len(name) + 1)
	c.write(string(f.data))
	c.fill(len(f.data))
}

func (c *cpio) write(text string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.w, text)
	}
}

func (c *cpio) fill(written int) { c.write("\x00\x00\x00"[:-written&3]) }

// unixMode is st_mode of stat(2).
func unixMode(mode fs.FileMode) int {
	switch mode.Type() {
	case fs.ModeDir:
		return 0o040000 | int(mode.Perm())
	case fs.ModeSymlink:
		return 0o120777
	default:
		return 0o100000 | int(mode.Perm())
	}
}
