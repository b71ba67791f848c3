package toolkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// deployGlobals are given before or after every command of the toolkit.
type deployGlobals struct {
	Profile string `json:"profile" help:"Profile to use" short:"p" env:"DEPLOY_PROFILE"`
	Verbose int    `json:"verbose" help:"Say more" short:"v" flag:"count" validate:"max=3"`
}

// deployStep refers to itself.
type deployStep struct {
	Run   string       `json:"run" help:"What to run" validate:"required"`
	Needs []deployStep `json:"needs" help:"Steps before it" validate:"max=8"`
}

// deployArgs has a field of every kind.
type deployArgs struct {
	deployGlobals
	Service  string            `json:"service" help:"Service to deploy" arg:"positional" validate:"required,min=1"`
	Release  string            `json:"release" help:"Release" arg:"positional" value:"TAG" default:"latest"`
	Command  []string          `json:"command" help:"Command to run afterwards" arg:"positional,separator=--,verbatim" validate:"max=16"`
	Region   string            `json:"region" help:"Region" validate:"required,oneof=eu us 'asia east'"`
	Replicas uint8             `json:"replicas" help:"Number of replicas" short:"r" alias:"count,scale" validate:"min=1,max=20" default:"2"`
	Weight   float64           `json:"weight" help:"Share of traffic" validate:"gt=0,lte=1" default:"1.0"`
	Limit    *int64            `json:"limit" help:"Memory limit in bytes" nullable:"true"`
	Tags     []string          `json:"tags" help:"Tags" sep:",..." validate:"max=5,unique,dive,min=1,max=20"`
	Labels   map[string]string `json:"labels" help:"Labels" duplicate:"last-wins"`
	Notify   string            `json:"notifyEmail" help:"Whom to tell" validate:"omitempty,email" env:"DEPLOY_NOTIFY"`
	Token    string            `json:"token" help:"Access token" secret:"true"`
	Color    string            `json:"color" help:"Colours" optional:"value" default:"auto" validate:"oneof=auto always never"`
	Until    time.Time         `json:"until" help:"When to stop"`
	Wait     time.Duration     `json:"wait" help:"How long to wait"`
	Address  netip.Addr        `json:"address" help:"Address to bind"`
	Config   []byte            `json:"config" help:"Configuration file"`
	Extra    json.RawMessage   `json:"extra" help:"Anything else"`
	Plan     *deployStep       `json:"plan" help:"Steps"`
	Probe    struct {
		Path  string `json:"path" help:"Path" validate:"required"`
		Ports []int  `json:"ports" help:"Ports"`
	} `json:"probe" help:"Health check"`
	DryRun  bool  `json:"dry" help:"Change nothing" flag:"plain"`
	NoCache bool  `json:"noCache" help:"Build without a cache"`
	Canary  *bool `json:"canary" help:"Canary first" default:"true" nullable:"true"`
}

type deployed struct {
	ID    string       `json:"id" help:"Id of the deployment"`
	Steps []deployStep `json:"steps"`
	Error *string      `json:"error"`
	Took  float64      `json:"took,omitzero" help:"Seconds"`
}

var errQuota = toolkit.DeclareError("QUOTA_EXCEEDED", toolkit.Runtime, 5, "the account is over its quota").
	WithPayload(struct {
		Limit int `json:"limit"`
	}{})

// deployKit is a toolkit with everything that a Go definition can say.
func deployKit() *toolkit.Toolkit {
	start := toolkit.Func(toolkit.Spec{
		Name: "start", Aliases: []string{"up"}, Summary: "Deploy a service", Description: "Deploys a service and waits until it is healthy.",
		Examples: []toolkit.Example{
			{Summary: "Two replicas", Input: deployArgs{Service: "web", Region: "eu", Replicas: 2, Tags: []string{"blue"}}},
			{Summary: "Without a cache", Input: json.RawMessage(`{"service":"web","region":"eu","noCache":true,"canary":false}`)},
		},
		Errors: []*toolkit.Error{errQuota},
		Constraints: []toolkit.Constraint{
			toolkit.Mutex("plan", "extra"),
			toolkit.Implies(toolkit.All(toolkit.ValueIs("region", "asia east")), toolkit.All(toolkit.Present("token"))),
		},
		Destructive: new(false), Timeout: 5 * time.Minute,
	}, func(context.Context, deployArgs) (deployed, error) { return deployed{}, nil })
	status := toolkit.Func(toolkit.Spec{Summary: "Show what is deployed", ReadOnly: true, Idempotent: true, OpenWorld: new(false)},
		func(context.Context, deployGlobals) ([]deployed, error) { return nil, nil })
	return &toolkit.Toolkit{
		Name: "deploy", Version: "2.1.0", Summary: "Deployments", Globals: deployGlobals{},
		Tools:  []toolkit.Tool{start},
		Groups: []toolkit.Group{{Name: "status", Summary: "Deployed services", Tools: []toolkit.Tool{status}}},
	}
}

// TestGoldenDefinition: the definition of a rich toolkit, byte for byte, is what
// guests have been shown until now.
func TestGoldenDefinition(t *testing.T) {
	def, err := deployKit().Definition()
	if err != nil {
		t.Fatalf("mistakes: got %v, want none", err)
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(def); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "deploy.json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got.Bytes(), want)
	}
	parsed, err := toolkit.ParseDefinition(want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := json.Marshal(def); !bytes.Equal(again, first) {
		t.Errorf("read back: got\n%s\nwant\n%s", again, first)
	}
}
