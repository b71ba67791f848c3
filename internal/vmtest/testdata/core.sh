# The least that must work: the link, the guest's identity, a call and its failure. The
# exit status says whether it did.
. /tests/check.sh

check 'doctor' 0 '*ok*the host answered*' 'agentos doctor'
check 'identity' 0 'vm7' 'agentos-lab whoami --field /guest'
check 'a call' 0 '{"ok":true,"result":{"temperature":20.4,"condition":"some rain"}}' 'agentos-weather forecast --city Paris --month 7'
check 'a call that fails' 3 '*"error":"NOT_FOUND"*' 'agentos-weather forecast --city Atlantis'

[ -z "${bad:-}" ]
