package archtest

// Module is the import path that the paths of the table are relative to.
const Module = "github.com/agentos-go/agentos"

// Roof is the floor of what stands on the whole building: examples, benchmarks
// and test beds. They may use every package, and no package may use them.
const Roof = 5

// Row is the place of one package of ours.
type Row struct {
	// Package is a path below Module, or a pattern as in Covers.
	Package string
	// Floor counts from 0, the ground. A row never uses a higher floor.
	Floor int
	// Uses are the packages of ours that its code may import, tests aside.
	Uses []string
	// Pure packages compute and do nothing else: they import none of Impure.
	Pure bool
}

// Impure are the standard packages by which code sees or changes the world
// outside its arguments.
var Impure = []string{
	"crypto/rand", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http",
	"os", "os/exec", "os/signal", "os/user", "path/filepath", "syscall",
}

// The packages that both sides of the bridge build on.
var ground = []string{"toolkit", "internal/strictjson", "internal/transport", "internal/argv", "internal/wire"}

// Floors is the building. A package may exist later than its row, never earlier.
var Floors = []Row{
	{Package: "toolkit", Floor: 0},

	{Package: "internal/strictjson", Floor: 1, Pure: true},
	{Package: "internal/transport", Floor: 1},
	{Package: "internal/argv", Floor: 1, Uses: []string{"toolkit", "internal/strictjson"}, Pure: true},
	{Package: "internal/wire", Floor: 1, Uses: []string{"toolkit", "internal/strictjson"}},
	{Package: "internal/validate", Floor: 1, Uses: []string{"toolkit", "internal/strictjson"}},

	{Package: "prompt", Floor: 2, Uses: []string{"toolkit", "internal/argv"}, Pure: true},
	{Package: "internal/search", Floor: 2, Uses: []string{"toolkit", "internal/argv"}, Pure: true},
	{Package: "guest", Floor: 2, Uses: ground},
	{Package: "host/permission", Floor: 2, Uses: []string{"toolkit", "internal/strictjson"}, Pure: true},
	{Package: "host/binding", Floor: 2, Uses: []string{"toolkit", "internal/strictjson", "internal/argv"}, Pure: true},
	{Package: "host/oplog", Floor: 2, Uses: []string{"toolkit", "internal/strictjson"}},

	{Package: "shim", Floor: 3, Uses: with(ground, "guest")},
	// The host takes toolkits and middleware as values, so it needs to know none
	// of the packages that make them: no registry, no circle.
	{Package: "host", Floor: 3, Uses: with(ground,
		"internal/validate", "internal/search", "prompt", "host/permission", "host/binding", "host/oplog")},
	{Package: "host/middleware", Floor: 3, Uses: []string{"toolkit", "internal/strictjson", "host/permission"}},
	{Package: "host/wasm", Floor: 3, Uses: []string{"toolkit", "internal/strictjson"}},
	{Package: "host/exec", Floor: 3, Uses: []string{"toolkit", "internal/strictjson"}},
	{Package: "host/mcp", Floor: 3, Uses: []string{"toolkit", "internal/strictjson", "internal/argv"}},
	{Package: "toolkit/wasitool", Floor: 3, Uses: []string{"toolkit", "internal/strictjson", "internal/argv"}},

	{Package: "shim/agentos", Floor: 4, Uses: []string{"shim"}},
	// The daemon's call and run commands drive the guest's own shim in process:
	// a line prints the same document and exits alike on both sides of the border.
	{Package: "host/agentosd", Floor: 4, Uses: with(ground, "prompt", "guest", "shim",
		"host", "host/permission", "host/binding", "host/oplog",
		"host/middleware", "host/wasm", "host/exec", "host/mcp", "examples/*/kit")},

	{Package: "toolkit/toolkittest", Floor: Roof},
	{Package: "examples/...", Floor: Roof},
	{Package: "internal/archtest", Floor: Roof},
	{Package: "internal/bench/...", Floor: Roof},
	{Package: "internal/conformance", Floor: Roof},
	{Package: "internal/fixture", Floor: Roof},
	{Package: "internal/vmtest/...", Floor: Roof},
}

// Dependency is a module that is not ours and the packages whose code may import
// it. A module without users is for tests alone.
type Dependency struct {
	Module string
	Users  []string
}

// Dependencies are all modules that this one may import directly.
var Dependencies = []Dependency{
	{"github.com/go-json-experiment/json", []string{"internal/strictjson"}},
	{"github.com/go-playground/validator/v10", []string{"internal/validate"}},
	{"github.com/google/uuid", []string{"host/oplog"}},
	{"github.com/mdlayher/vsock", []string{"internal/transport"}},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"internal/validate"}},
	{"github.com/tetratelabs/wazero", []string{"host/wasm"}},
	{"github.com/urfave/cli/v2", []string{"host/agentosd"}},
	{"go.etcd.io/bbolt", []string{"host/oplog"}},
	{"golang.org/x/sys", []string{"internal/transport", "host/agentosd", "host/exec", "host/wasm", "examples/files/kit", "examples/qemu"}},
	{"golang.org/x/time", []string{"host", "host/middleware"}},
	{"mvdan.cc/sh/v3", []string{"toolkit/toolkittest"}},

	{"github.com/google/go-cmp", nil},
	{"github.com/google/jsonschema-go", nil},
	{"github.com/rogpeppe/go-internal", nil},
	{"go.uber.org/goleak", nil},
	{"golang.org/x/net", nil},
	{"pgregory.net/rapid", nil},
}

func with(some []string, more ...string) []string {
	return append(append([]string(nil), some...), more...)
}
