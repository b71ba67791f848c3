package toolkit

// CLIName is the command-line spelling of a wire name: its kebab form, where a
// run of capitals is one word (fullPage is full-page, userID is user-id,
// HTTPServer2 is http-server2, x_y is x-y).
func CLIName(wire string) string {
	out := make([]byte, 0, len(wire)+4)
	for i := 0; i < len(wire); i++ {
		c := wire[i]
		switch {
		case c == '_':
			c = '-'
		case isUpper(c):
			startsWord := i > 0 && (!isUpper(wire[i-1]) || i+1 < len(wire) && isLower(wire[i+1]))
			if startsWord && wire[i-1] != '_' && wire[i-1] != '-' {
				out = append(out, '-')
			}
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return string(out)
}

// SnakeName is the snake form of a wire name, which the command line accepts too.
func SnakeName(wire string) string {
	name := []byte(CLIName(wire))
	for i, c := range name {
		if c == '-' {
			name[i] = '_'
		}
	}
	return string(name)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
