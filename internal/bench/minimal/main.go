// Command minimal is the reference for a call from a shell: the least that a Go
// program needs to ask the host something over its socket, one frame each way.
package main

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"log"
	"net"
	"os"
)

func main() {
	conn, err := net.Dial("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	open, err := json.Marshal(map[string]any{"v": []int{1}, "toolkit": "math", "words": []string{"add"}, "want": "command"})
	if err != nil {
		log.Fatal(err)
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(open)))
	frame = append(frame, 1, 0, 0, 0) // OPEN
	if _, err := conn.Write(append(frame, open...)); err != nil {
		log.Fatal(err)
	}
	header := make([]byte, 8)
	if _, err := io.ReadFull(conn, header); err != nil {
		log.Fatal(err)
	}
	payload := make([]byte, binary.BigEndian.Uint32(header))
	if _, err := io.ReadFull(conn, payload); err != nil {
		log.Fatal(err)
	}
	var present map[string]any
	if err := json.Unmarshal(payload, &present); err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(present["v"]); err != nil {
		log.Fatal(err)
	}
}
