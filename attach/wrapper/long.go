package wrapper

// LongFromClient returns the bytes to send to the server instead of the beginning of a message that is too long to read
// as a whole. It removes the property if that lies in the beginning, as it does when the model wrote it first.
func (c *Conn) LongFromClient(start []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.long++
	called := ""
	// The members that are complete tell the method; the one that is not has the arguments.
	rest := openMember(start, blank(start, 0), func(m member) {
		if m.key == "method" {
			called = decoded(m.of(start))
		}
	})
	if called != "tools/call" || rest.key != "params" {
		return start
	}
	tool := ""
	var given []int
	rest = openMember(start, rest.span.from, func(m member) {
		switch m.key {
		case "name":
			tool = decoded(m.of(start))
		case "arguments":
			given = append(given, m.span.from)
		}
	})
	if rest.key == "arguments" {
		given = append(given, rest.span.from)
	}
	// Where the name stands behind the arguments, nobody knows it yet.
	ours := c.tools.ours(tool)
	if tool == "" {
		ours = c.tools.allOurs()
	}
	// The reason goes with its call, of which nothing is recorded.
	var edits []edit
	for _, args := range given {
		if args < len(start) {
			one, _ := reasonIn(start[args:], ours)
			edits = append(edits, moved(one, args)...)
		}
	}
	return edited(start, edits)
}

// openMember visits the complete members of an object that is cut short, and returns the one that is not complete.
func openMember(raw []byte, at int, visit func(m member)) (rest member) {
	end := at + 1
	walk(raw, at, func(m member) bool {
		visit(m)
		end = m.to
		return true
	})
	// Behind the last complete member stand a comma, a key, a colon and the beginning of a value.
	if end = blank(raw, end); end < len(raw) && raw[end] == ',' {
		end = blank(raw, end+1)
	}
	if end >= len(raw) || raw[end] != '"' {
		return member{}
	}
	after := skip(raw, end)
	if after < 0 {
		return member{}
	}
	rest = member{key: decoded(raw[end:after]), from: end}
	if rest.span.from = blank(raw, after) + 1; rest.span.from > len(raw) || raw[rest.span.from-1] != ':' {
		return member{}
	}
	rest.span.from = blank(raw, rest.span.from)
	return rest
}

// LongFromServer returns the beginning of a message from the server that is too long to read as a whole, unchanged. If
// the message is a list of tools, the client knows them without the property.
func (c *Conn) LongFromServer(start []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.long++
	for _, r := range c.open {
		if r.method == "tools/list" {
			c.tools.forget()
		}
	}
	return start
}
