// Command probe makes a socket of AF_VSOCK, connects it to nothing, and says how
// that went.
package main

import (
	"fmt"
	"syscall"
)

func main() {
	const afVsock = 40 // linux/socket.h
	_, err := syscall.Socket(afVsock, syscall.SOCK_STREAM, 0)
	fmt.Println(err)
}
