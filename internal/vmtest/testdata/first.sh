# The first VM with CID 42, over AF_VSOCK of the kernel at both ends.
sh /tests/guest.sh || exit
. /tests/check.sh

(export AGENTOS_ADDR=vsock://2:5002 && control 'no registry' 'cid-42')
check 'a call to be inherited by nobody' 0 'vm7' 'agentos-lab whoami --call-id mine --field /guest'
check 'it is remembered' 0 '*"guest":"vm7"*' 'agentos await mine'
