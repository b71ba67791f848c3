// Package shim is the command inside the VM: argv in, one JSON document and an
// exit status out.
//
// One multi-call binary serves every toolkit. Called as agentos-NAME it asks the
// host for NAME's definition, parses its arguments with it and calls the tool;
// called as agentos it lists, describes and calls tools of any toolkit, also many
// by one process (batch). Nothing is cached beyond that process and nothing is
// decided here: the host checks everything again. Where
// no host answers, help, lists, searches, the prompt text, versions and completions
// come from the definitions that were installed for this guest; no call is ever
// made by these.
//
// The package has no globals and touches the system only through a Process, so
// that a test, or a program on the host, can be the process.
package shim
