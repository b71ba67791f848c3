# All that a guest does with its link, if it has one.
sh /tests/core.sh || exit
. /tests/check.sh

check 'the demo' 0 '*every result is right' 'sh /tests/inside.sh'

# What agentosd serves is seen here as in every sandbox.
check 'the same bytes' 0 '' 'AGENTOS_ADDR=vsock://2:5004 sh /tests/bytes.sh 2>&1 | diff /tests/bytes.golden -'

# Streams, by far larger than what is on its way at once.
head -c 3000000 /dev/urandom >/tmp/data
check 'stdin' 0 "$(sha256sum </tmp/data | cut -d' ' -f1)" 'agentos-lab sum --field /sha256 </tmp/data'
check 'stdout' 0 '' 'agentos-lab cat </tmp/data | cmp - /tmp/data'
check 'a chain' 0 '3000000' 'agentos-lab cat </tmp/data | agentos-lab sum --field /bytes'
check 'a reader that has enough' 0 '100' 'agentos-lab endless | head -c 100 | wc -c'
check 'files' 0 '*"bytes":3000000*' 'agentos-files copy data --from /tmp/data && agentos-files copy data --to /tmp/back && cmp /tmp/data /tmp/back'

# Fifty calls wait for each other.
meet() {
	for i in $(seq 50); do
		agentos-lab meet --calls 50 --field /calls &
	done | sort | uniq -c
}
check '50 calls at once' 0 '*50 50' 'meet'

cancel() {
	term=$(cat /proc/sys/kernel/random/boot_id)
	agentos-lab wait --name "$term" &
	until [ "$(agentos-lab seen --name "$term" --field /began)" = 1 ]; do :; done
	kill -TERM $!
	wait $! || echo "exit $?"
	until [ "$(agentos-lab seen --name "$term" --field /cancelled)" = 1 ]; do :; done
	echo cancelled
}
check 'cancel, by a signal' 0 '*exit 143*cancelled' 'cancel'
check 'cancel, by time' 124 '*"error":"TIMEOUT"*' 'agentos-lab wait --name time --timeout 500ms'

check 'another user' 0 'vm7' 'su agent -c "agentos-lab whoami --field /guest"'

# The host is killed while it has a call, and is there again soon.
check 'the host restarts, a call' 76 '*"error":"OUTCOME_UNKNOWN"*' 'agentos-lab crash'
check 'the host restarts, the next call' 0 'vm7' 'AGENTOS_DIAL_WAIT=60s agentos-lab whoami --field /guest'

check 'doctor, nobody listens' 69 '*FAIL*Nobody listens on port 5001*' 'AGENTOS_ADDR=vsock://2:5001 AGENTOS_DIAL_WAIT=200ms agentos doctor'
check 'doctor, no address' 69 '*FAIL*AGENTOS_ADDR*' 'mv /etc/agentos /etc/none && agentos doctor; s=$?; mv /etc/none /etc/agentos; exit $s'

(export AGENTOS_ADDR=vsock://2:5001 && control 'no listener' 'Nobody listens')
(export PATH=/protocol2/usr/local/bin:/bin && control 'another protocol' 'install an agentos for protocol 1')

# A call from this shell, in microseconds, beside the same with a minimal server.
call='agentos-weather forecast --city Paris --month 7 >/dev/null'
echo "p50 $(lap -n 40 "$call" "AGENTOS_ADDR=vsock://2:5003 $call" | xargs)" >"$REPORT"
