# shellcheck shell=sh
# What the recipes share: a directory of their own with agentosd beside it, both gone
# at the end. It is sourced; the program that runs inside is the recipe's.
#
# A shell hears a signal when the program that it waits for has ended: end a recipe by
# its process group, as terminals, systemd and timeout(1) do, not its shell alone.

AGENTOSD=${AGENTOSD:-agentosd} # its folder also holds the guest's program, agentos
EXAMPLE=${EXAMPLE:-weather}    # the toolkit that is served
GUEST=${GUEST:-vm7}            # the name by which the host knows this guest

# need PROGRAM STEP: a program that is missing ends the recipe with the next step.
need() {
	command -v "$1" >/dev/null 2>&1 && return
	echo "$0: $1 is missing: $2" >&2
	exit 127
}

# given COMMAND… ends a recipe that has nothing to run inside.
given() {
	[ $# -eq 0 ] || return 0
	echo "usage: sh $0 COMMAND [ARGUMENTS…]" >&2
	exit 2
}

# plain NAME VALUE refuses what would mean something else in an address.
plain() {
	case $2 in
	'' | *[!A-Za-z0-9._-]*)
		echo "$0: $1 is \"$2\": want letters, digits, dots, hyphens and underscores" >&2
		exit 2
		;;
	esac
}

# begin makes the directory $work, which only this user may enter.
begin() {
	need "$AGENTOSD" "run make build and put bin/ into PATH, or set AGENTOSD"
	plain GUEST "$GUEST"
	work=$(mktemp -d)
	daemon=
	trap end EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# end stops what serve started and removes what begin made. The status of the
# recipe stays as it is.
end() {
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null || :
		wait
	fi
	rm -rf "$work"
}

# serve ADDRESS starts agentosd and returns when it listens; its log is on stderr.
serve() {
	mkfifo "$work/log"
	"$AGENTOSD" serve --example "$EXAMPLE" --listen "$1" 2>"$work/log" </dev/null &
	daemon=$!
	exec 9<"$work/log"
	while IFS= read -r line <&9; do
		printf '%s\n' "$line" >&2
		case $line in
		"agentosd: listening on "*)
			cat <&9 >&2 & # ends with agentosd
			exec 9<&-     # nothing of it reaches the sandbox
			return
			;;
		esac
	done
	wait "$daemon" # which has said what is wrong, and is the status
	exit 1
}

# json TEXT prints it as a JSON string.
json() {
	printf '"%s"' "$(printf '%s' "$1" | sed -e 's/[\\"]/\\&/g' -e "s/$(printf '\t')/\\\\t/g" -e '$!s/$/\\n/' | tr -d '\n')"
}
