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

# boot SCRIPT: a VM that runs it. What it reports is passed on, and what it asks for is
# done. It fails for a VM that stands still, which does not say that it lives.
boot() {
	rm -f /run/report
	mkfifo /run/report
	sh "/tests/boot-$1" </dev/null &
	vm=$!
	exec 8<>/run/report
	ended=
	while read -r -t 30 line <&8; do
		case $line in
		tick) ;;
		'ask add') agentos operator add --guest vm8 --cid 42 --reuse ;;
		'exit '*)
			ended=${line#exit }
			break
			;;
		*) echo "$line" >"$REPORT" ;;
		esac
	done
	exec 8<&-
	kill -KILL "$vm"
	wait "$vm"
	[ -n "$ended" ]
}
boot first.sh || boot first.sh
check 'the first VM ends' 0 0 'echo $ended'
check 'its guest is removed' 0 '{"ok":true}' 'agentos operator remove --guest vm7'
boot second.sh || boot second.sh
check 'the second VM ends' 0 0 'echo $ended'
