package shim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/toolkit"
)

// doctor checks the way to the host, step by step, and says what to do about
// the first step that fails. Only a whole round trip counts as healthy.
func (p *Process) doctor(ctx context.Context) int {
	var report strings.Builder
	err := p.examine(ctx, &report)
	if err != nil {
		fmt.Fprintf(&report, "FAIL  %s\n", argv.Inline(err.Message))
		if err.Hint != "" && err.Hint != "agentos doctor" {
			fmt.Fprintf(&report, "      %s\n", argv.Inline(err.Hint))
		}
		p.print(report.String())
		return err.ExitStatus()
	}
	return p.print(report.String())
}

func (p *Process) examine(ctx context.Context, report *strings.Builder) *toolkit.Error {
	for _, shadowed := range p.shadowed() {
		fmt.Fprintf(report, "warn  %s\n", shadowed)
	}
	addr, source := p.address()
	if _, err := transport.ParseDial(addr); err == nil {
		fmt.Fprintf(report, "ok    address %s (from %s)\n", addr, source)
	}
	start := time.Now()
	client, err := p.connect(ctx)
	if err != nil {
		return asError(err)
	}
	defer client.Close()
	fmt.Fprintf(report, "ok    connected in %s\n", time.Since(start).Round(10*time.Microsecond))
	start = time.Now()
	defs, err := client.Definitions(ctx, "")
	if err != nil {
		return asError(err)
	}
	fmt.Fprintf(report, "ok    the host answered in %s; toolkits: %d\n", time.Since(start).Round(10*time.Microsecond), len(defs))
	return nil
}

// shadowed names the programs that PATH finds in place of this one.
func (p *Process) shadowed() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(self)
	if err != nil {
		return nil
	}
	path, _ := p.Env("PATH")
	var found []string
	seen := map[string]bool{}
	for _, dir := range filepath.SplitList(path) {
		names, _ := filepath.Glob(filepath.Join(dir, "agentos*"))
		for _, name := range names {
			base := filepath.Base(name)
			if base != "agentos" && !strings.HasPrefix(base, "agentos-") || seen[base] {
				continue
			}
			seen[base] = true
			if target, err := filepath.EvalSymlinks(name); err == nil && target != real {
				found = append(found, fmt.Sprintf("%s is not this program, %s", name, real))
			}
		}
	}
	return found
}
