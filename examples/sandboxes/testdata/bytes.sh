# Commands of the guest whose output is the same, byte for byte, wherever they run.
# The host serves the toolkit weather. Plain POSIX, for any sh in the guest.
run() {
	printf '$ %s\n' "$*"
	status=0
	"$@" </dev/null 2>&1 || status=$?
	printf '\n[%s]\n' "$status"
}
run agentos prompt
run agentos list-tools
run agentos list-tools --json
run agentos-weather forecast --help
run agentos describe weather forecast
run agentos-weather forecast --city Paris --month 7
run agentos-weather forecast --city Atlantis
