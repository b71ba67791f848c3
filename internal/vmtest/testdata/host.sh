# The host, itself a VM: its kernel's AF_VSOCK serves VMs of its own.
. /tests/check.sh
cp -R /tests/files /run/files

check 'the example' 3 '{"ok":true,*{"ok":false,"error":"NOT_FOUND"*' 'example -kernel /vm/kernel -modules /vm/modules -shim /usr/local/bin/agentos \
	"agentos-weather forecast --city Paris && agentos-weather forecast --city Atlantis" </dev/null 2>/dev/null'

# The daemon is started again when it is killed.
until daemon -root /run/files -listen vsock://:5000 -guest vm7 -cid 42 -strangers 'vsock://:5002?cid=any' \
	-minimal 'vsock://:5003?cid=any' -operator unix:///run/agentos/operator.sock; do :; done &
agentosd serve --example weather --listen 'vsock://:5004?cid=any' &
export AGENTOS_ADDR=unix:///run/agentos/operator.sock AGENTOS_DIAL_WAIT=30s

# boot SCRIPT: a VM that runs it, once more if it does not come up. What it
# reports is passed on, and what it asks for is done.
boot() {
	rm -f /run/report /run/up
	mkfifo /run/report
	sh "/tests/boot-$1" </dev/null &
	vm=$!
	(sleep 40; [ -e /run/up ] || kill "$vm") &
	while read -r line; do
		case $line in
		up) : >/run/up ;;
		'ask add') agentos operator add --guest vm8 --cid 42 --reuse ;;
		'exit 0') ended=yes ;;
		*) echo "$line" >"$REPORT" ;;
		esac
	done </run/report
	wait "$vm"
	[ -e /run/up ]
}
ended=
boot first.sh || boot first.sh
check 'the first VM ends' 0 yes 'echo $ended'
check 'its guest is removed' 0 '{"ok":true}' 'agentos operator remove --guest vm7'
ended=
boot second.sh || boot second.sh
check 'the second VM ends' 0 yes 'echo $ended'
