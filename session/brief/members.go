package brief

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// The names of members of results, in lower case without _ and -, the best first.
var (
	// exitNames hold the exit status of a command.
	exitNames = []string{"exitcode", "exitstatus", "returncode"}
	// textNames hold the text that the tool was asked for.
	textNames = []string{"stdout", "text", "content", "body", "output", "diff"}
	// sizeNames hold a number of bytes.
	sizeNames = []string{"bytes", "size"}
	// okNames are true if the call did what it should.
	okNames = []string{"ok", "success"}
	// verbNames say what was done: true, with what, or false for not.
	verbNames = []string{"deleted", "removed", "created", "updated", "written", "saved", "moved", "sent", "merged"}
	// sayNames hold a sentence that the tool says about its result.
	sayNames = []string{"message", "summary", "answer", "result", "error"}
	// partNames are set if there is more than what was returned.
	partNames = []string{"truncated", "nextoffset", "nextcursor"}
)

// members are those of a result.
type members struct {
	whole  gjson.Result
	names  []string // as they stand
	values map[string]gjson.Result
}

func readMembers(v gjson.Result) members {
	m := members{whole: v, values: map[string]gjson.Result{}}
	v.ForEach(func(key, value gjson.Result) bool {
		m.names = append(m.names, key.Str)
		m.values[plainName(key.Str)] = value
		return len(m.names) < maxMembers
	})
	return m
}

// plainName returns a name as the tables have it.
func plainName(name string) string {
	return strings.ToLower(unjoined.Replace(name))
}

// first returns the first of the named members that is there and says something.
func (m members) first(names []string) (name string, v gjson.Result) {
	for _, name := range names {
		if v := m.values[name]; v.Exists() && v.Type != gjson.Null && v.Raw != `""` {
			return name, v
		}
	}
	return "", gjson.Result{}
}

// line returns the members in a line.
func (m members) line() string {
	if len(m.names) == 0 {
		return "empty"
	}
	// The order is that of how much each tells: a failure before how much there is of anything,
	// and what the tool counts or says itself before what we count.
	for _, rule := range []func() string{
		m.failure, m.exit, m.status, m.verb, m.patch, m.list, m.printed, m.text, m.message, m.picture, m.plain,
	} {
		if line := rule(); line != "" {
			return line
		}
	}
	return count(len(m.names), "members") + ", " + size(len(m.whole.Raw))
}

// failure tells of an error that the result has.
func (m members) failure() string {
	e := m.values["error"]
	if e.IsObject() {
		e = e.Get("message")
	}
	if e.Type == gjson.String {
		return sentence(e.Str)
	}
	return ""
}

// exit tells the exit status of a command, and what it printed.
func (m members) exit() string {
	_, code := m.first(exitNames)
	if code.Type != gjson.Number {
		return ""
	}
	printed := textLine(cmp.Or(strings.TrimSpace(m.values["stdout"].Str), strings.TrimSpace(m.values["output"].Str),
		strings.TrimSpace(m.values["stderr"].Str)))
	status := "exit " + strconv.FormatInt(code.Int(), 10)
	switch tail, failed := strings.CutPrefix(printed, "FAIL, "); {
	case printed == "empty":
		return status + ", no output"
	case failed && strings.HasPrefix(tail, "exit "):
		return printed
	case failed:
		return "FAIL, " + status + ", " + tail
	case code.Int() == 0:
		return printed
	}
	return status + ", " + printed
}

// printed tells what a command printed whose exit status is not among the members, as Claude Code gives it.
func (m members) printed() string {
	out, failed := m.values["stdout"], m.values["stderr"]
	if out.Type != gjson.String || failed.Type != gjson.String || strings.TrimSpace(out.Str) != "" {
		return ""
	}
	line := textLine(failed.Str)
	if line == "empty" {
		line = "no output"
	}
	if m.values["interrupted"].Type == gjson.True {
		return "interrupted, " + line
	}
	return line
}

// status tells the status of an HTTP answer and its size.
func (m members) status() string {
	code := m.values["status"]
	if code.Type != gjson.Number {
		return ""
	}
	if body := m.values["body"]; body.Type == gjson.String && body.Str != "" {
		return code.Raw + ", " + size(len(body.Str))
	}
	return code.Raw
}

// verb tells what was done, and with how much.
func (m members) verb() string {
	if _, ok := m.first(okNames); ok.Type == gjson.True {
		return strings.Join(append([]string{"ok"}, m.scalars(okNames)...), ", ")
	}
	name, v := m.first(verbNames)
	switch _, n := m.first(sizeNames); {
	case name == "":
		return ""
	case v.Type == gjson.False:
		return "not " + name
	case n.Type == gjson.Number:
		return name + ", " + size(int(n.Int()))
	case v.Type == gjson.True:
		return name
	case v.IsArray():
		return name + " " + strconv.Itoa(length(v))
	}
	return name + " " + sentence(v.String())
}

// patchName names the hunks of a change, as Claude Code gives them. A new file has none.
const patchName = "structuredpatch"

// patch counts the lines that a change of a file added and removed, of which Claude Code gives the hunks in a list.
func (m members) patch() string {
	hunks := m.values[patchName].Get("#.lines|@flatten")
	if !hunks.IsArray() || length(hunks) == 0 {
		return ""
	}
	var lines []string
	for _, line := range hunks.Array() {
		lines = append(lines, line.Str)
	}
	return changed(strings.Join(lines, "\n"))
}

// list counts the items of the only list, and says of how many if the result does.
func (m members) list() string {
	name, items := "", gjson.Result{}
	for _, n := range m.names {
		if v := m.values[plainName(n)]; v.IsArray() && plainName(n) != patchName {
			if name != "" {
				return ""
			}
			name, items = n, v
		}
	}
	if name == "" {
		return ""
	}
	n := length(items)
	if total := m.values["total"]; total.Type == gjson.Number && int(total.Int()) > n {
		return strconv.Itoa(n) + " of " + count(int(total.Int()), name)
	}
	files := map[string]bool{}
	items.ForEach(func(_, item gjson.Result) bool {
		if at := item.Get("path"); at.Exists() {
			files[at.Str] = true
		}
		return true
	})
	if name == "matches" && len(files) > 0 && n > 1 {
		return count(n, name) + " in " + count(len(files), "files")
	}
	return count(n, name)
}

// text tells the text that the result has, and whether there is more of it.
func (m members) text() string {
	_, v := m.first(textNames)
	if v.Type != gjson.String {
		return ""
	}
	line := textLine(v.Str)
	if _, more := m.first(partNames); more.Exists() && more.Type != gjson.False && more.Raw != "0" {
		line = strings.TrimSuffix(line, ", not all") + ", not all"
	}
	return line
}

// message tells what the result says of itself.
func (m members) message() string {
	if _, v := m.first(sayNames); v.Type == gjson.String {
		return sentence(v.Str)
	}
	return ""
}

// picture tells the kind and the size of content that is no text.
func (m members) picture() string {
	mime := cmp.Or(m.values["mime"].Str, m.values["mimetype"].Str)
	if _, n := m.first(sizeNames); mime != "" && n.Type == gjson.Number {
		return mime + ", " + size(int(n.Int()))
	}
	return mime
}

// plain tells the first members that are short.
func (m members) plain() string { return strings.Join(m.scalars(nil), ", ") }

// maxPlain is how many plain members a line has.
const maxPlain = 3

// scalars lists the first short members with their names, without those of the names in omit.
func (m members) scalars(omit []string) []string {
	var list []string
	for _, name := range m.names {
		v := m.values[plainName(name)]
		if slices.Contains(omit, plainName(name)) || v.IsObject() || v.IsArray() || v.Type == gjson.Null ||
			len(v.String()) > maxExtra {
			continue
		}
		if len(list) == maxPlain {
			return append(list, "…")
		}
		list = append(list, name+" "+v.String())
	}
	return list
}

// unjoined takes the signs that join words out of a name.
var unjoined = strings.NewReplacer("_", "", "-", "")

// opened is a result without its envelope. Failed says that the envelope told of an error.
type opened struct {
	value  gjson.Result
	failed bool
}

// Servers differ in where they put what a tool returned: as structured content, as one text or several,
// as JSON in a text, or as all of these at once. The structured form wins, as it has names.

// open takes a result out of the envelope of an MCP server, and JSON out of a text.
func open(v gjson.Result) opened {
	o := opened{value: v}
	if v.IsObject() {
		o.failed = v.Get("isError").Bool()
		for _, name := range []string{"structured", "structuredContent"} {
			if inner := v.Get(name); inner.IsObject() || inner.IsArray() {
				o.value = inner
				return o
			}
		}
		if parts := v.Get("content"); parts.IsArray() {
			o.value = joined(parts)
		}
	}
	if v.IsArray() && v.Get("0.type").Str == "text" {
		o.value = joined(v)
	}
	// Many servers send JSON as a text, since the protocol knew no structured content at first.
	// What only looks like JSON stays a text.
	if text := strings.TrimSpace(o.value.Str); o.value.Type == gjson.String && text != "" &&
		(text[0] == '{' || text[0] == '[') && gjson.Valid(text) {
		o.value = gjson.Parse(text)
	}
	return o
}

// joined returns the texts among parts of content as one text, a line each. Without a text it
// returns the first part, such as an image.
func joined(parts gjson.Result) gjson.Result {
	var texts []string
	parts.ForEach(func(_, part gjson.Result) bool {
		if text := part.Get("text"); text.Type == gjson.String {
			texts = append(texts, strings.TrimSuffix(text.Str, "\n"))
		}
		return len(texts) < maxMembers
	})
	if first := parts.Get("0"); len(texts) == 0 && first.Exists() {
		return first
	}
	return gjson.Result{Type: gjson.String, Str: strings.Join(texts, "\n")}
}
