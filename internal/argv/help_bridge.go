package argv

// bridgeLine names the bridge's options that are useful with most tools, and says
// who lists all of them.
func (p *page) bridgeLine() string {
	if p.isOwn() {
		return "" // these print what they have, there is nothing to choose from
	}
	ways := p.bridgeName("field") + " /POINTER, " + p.bridgeName("output") + " result|text"
	if p.body().Stdout != nil {
		ways = p.bridgeName("result-file") + " PATH" // stdout is a stream, of which there are no parts
	}
	return "Also: " + ways + ", " + p.bridgeName("timeout") + " 5s (agentos --help lists all).\n"
}

// isOwn reports whether the page is about the program's own commands: a toolkit's
// program has another name than the toolkit.
func (p *page) isOwn() bool { return p.program == p.toolkit() }

// bridgeTable has a line for each option of the bridge, and for the forms that are
// always read as one or as none.
func bridgeTable() string {
	var rows []row
	for i := range bridgeOptions {
		o := &bridgeOptions[i]
		left, help := spaced("--"+o.name, o.value), bridgeTexts[o.name]
		switch o.name {
		case "help":
			left = "-h, " + left
		case "json":
			help += "; - reads stdin, @PATH a file"
		}
		if o.env != "" {
			help += " (env " + o.env + ")"
		}
		rows = append(rows, row{left, help})
	}
	rows = append(rows,
		row{"--agentos:NAME", "One of these options, also where the tool has a parameter of that name"},
		row{"--arg:NAME VALUE", "The tool's parameter NAME, whatever its name"})
	return table(2, rows)
}
