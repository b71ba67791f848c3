# The next VM with CID 42. Its guest before was removed.
. /tests/check.sh

check 'a recycled CID: nobody' 69 '*"error":"HOST_UNREACHABLE"*' 'AGENTOS_DIAL_WAIT=200ms agentos-lab whoami'
check 'doctor, nobody' 69 '*FAIL*does not know this guest*' 'AGENTOS_DIAL_WAIT=200ms agentos doctor'
echo 'ask add' >"$REPORT"
check 'a recycled CID: its new guest' 0 'vm8' 'AGENTOS_DIAL_WAIT=60s agentos-lab whoami --field /guest'
check 'it inherits no call' 2 '*"error":"CALL_NOT_FOUND"*' 'agentos await mine'
check 'the id is free' 0 '{"ok":true,"result":{"guest":"vm8"}}' 'agentos-lab whoami --call-id mine'
