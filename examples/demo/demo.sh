#!/bin/sh
# Serves two toolkits to a sandbox and shows, from inside, every way to use them.
# Called by `make demo`, which has built bin/agentos and bin/agentosd.
set -eu
here=$(dirname "$0")
bin=$here/../../bin
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
cp -R "$here/files/." "$files"

"$bin/agentosd" run --example weather --example files --root "$files" -- sh -c "$(cat "$here/inside.sh")"
