# The guest of a VMM whose vsock device ends in Unix sockets on the host.
sh /tests/guest.sh || exit
. /tests/check.sh

cd /sys/bus/virtio/drivers/vmw_vsock_virtio_transport
check 'the device is taken away' 0 '' 'echo virtio? >unbind'
export AGENTOS_DIAL_WAIT=200ms
check 'doctor, no device' 69 '*FAIL*This kernel has no vsock device*' 'agentos doctor'
check 'no device' 69 '*"error":"HOST_UNREACHABLE"*' 'agentos-lab whoami'
