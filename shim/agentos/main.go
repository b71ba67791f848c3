// Command agentos is the guest's side of the bridge: agentos itself, and every
// agentos-NAME that is linked to it.
package main

import (
	"os"

	"github.com/agentos-go/agentos/shim"
)

func main() { os.Exit(shim.Main()) }
