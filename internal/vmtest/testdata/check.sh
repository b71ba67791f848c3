# What the scripts in a guest share; each is read by a busybox shell. What they find is
# reported, a line each, and not printed.
: "${REPORT:=/dev/ttyS1}"

# check NAME STATUS PATTERN COMMAND: the command ends with that exit status, and its
# output, of both kinds, matches the shell pattern. Otherwise $bad names it.
check() {
	status=0
	output=$(eval "$4" 2>&1) || status=$?
	case $status:$output in
	$2:$3) echo "ok $1" ;;
	*)
		printf '%s\n' "\$ $4" "$output" "exit status $status; expected $2 and $3" | sed 's/^/# /'
		bad=$1
		echo "bad $1"
		;;
	esac >>"$REPORT"
}

# control NAME REASON: the core fails, for that reason, which shows that it can.
control() {
	rm -f /tmp/control
	(REPORT=/tmp/control AGENTOS_DIAL_WAIT=200ms sh /tests/core.sh)
	check "control: $1" 0 "*$2*bad identity*" 'cat /tmp/control'
}
