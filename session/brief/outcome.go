package brief

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"candor/safety"
	"candor/session"
)

// maxRead is the size of the largest result that is read, in bytes. Of larger ones only the
// size is told.
const maxRead = 256 << 10

// Outcome returns what came of a call: its result in a line, or why it has none. It is empty
// while the call runs.
func Outcome(c session.Call) Line {
	switch c.Outcome {
	case session.Pending:
		return Line{}
	case session.Success:
		return resultOf(c.Result)
	case session.Rejected:
		return refused(c)
	case session.Cancelled:
		return Line{"cancelled"}
	case session.Unknown:
		return Line{"no result was seen"}
	}
	switch {
	case !c.Error.Empty():
		return errorLine(c.Error)
	case !c.Result.Null():
		return resultOf(c.Result)
	}
	return Line{"failed"}
}

// exited begins the error of a command that Claude Code ran; what the command printed follows it.
var exited = regexp.MustCompile(`^Exit code (\d{1,3})\s*\n`)

// errorLine returns an error in a line: its first, and of a command also what it printed first.
func errorLine(e safety.Text) Line {
	s := e.String()
	parts := exited.FindStringSubmatch(s)
	if parts == nil {
		return First(e)
	}
	printed := strings.TrimSpace(s[len(parts[0]):])
	said := verdictOf(printed)
	if said == "" {
		said, _, _ = strings.Cut(printed, "\n")
	}
	if said == "" {
		said = "no output"
	}
	tail, tested := strings.CutPrefix(said, "FAIL, ")
	switch {
	case tested && strings.HasPrefix(tail, "exit "):
		return lineOf(said)
	case tested:
		return lineOf("FAIL, exit " + parts[1] + ", " + tail)
	}
	return lineOf("exit " + parts[1] + ", " + said)
}

// refused says why a call was not run: what the person said, or the error.
func refused(c session.Call) Line {
	if a := c.Approval; a != nil {
		switch {
		case a.Answer == session.Deny && a.Said() != "":
			return lineOf("denied: " + a.Said())
		case a.Answer == session.Deny:
			return Line{"denied"}
		case a.Answer == session.Expired:
			return Line{"not run: nobody answered in time"}
		}
	}
	if c.Error.Empty() {
		return Line{"not run"}
	}
	return lineOf("not run: " + First(c.Error).s)
}

// resultOf returns a result in a line.
func resultOf(r safety.JSON) Line {
	raw := r.Raw()
	switch {
	case r.Null():
		return Line{"nothing returned"}
	case len(raw) > maxRead:
		return Line{size(len(raw))}
	}
	o := open(gjson.ParseBytes(raw))
	switch v := o.value; {
	case v.Type == gjson.String && o.failed:
		return lineOf(sentence(v.Str))
	case v.Type == gjson.String:
		return lineOf(textLine(v.Str))
	case v.IsArray():
		return Line{count(length(v), "items")}
	case v.IsObject():
		return lineOf(readMembers(v).line())
	}
	return lineOf(o.value.Raw)
}

// shownLine is the length of the longest text that is shown as it is, in bytes.
const shownLine = 120

// textLine returns a text of one line as it is, and counts the lines of others.
func textLine(s string) string {
	s = strings.TrimSpace(s)
	// What package safety says of a text that it cut is no line of it.
	rest := ""
	if from := max(0, len(s)-maxNotice); cutNotice.MatchString(s[from:]) {
		s, rest = strings.TrimSpace(s[:from]+cutNotice.ReplaceAllString(s[from:], "")), ", not all"
	}
	lines := strings.Count(s, "\n") + 1
	switch {
	case s == "":
		return "empty"
	case lines == 1 && len(s) <= shownLine:
		return s
	case lines == 1 && len(sentence(s)) <= shownLine:
		return sentence(s) + " …"
	case lines == 1:
		return cutEnd(flat(s), shownLine)
	}
	if verdict := verdictOf(s); verdict != "" {
		return verdict
	}
	return count(lines, "lines") + rest
}

// cutNotice ends a text that package safety cut; it has at most maxNotice bytes.
var cutNotice = regexp.MustCompile(`\n\n\[truncated: [0-9]+ of [0-9]+ bytes shown\]$`)

const maxNotice = 128

// What test runners and diffs print at the start of a line.
var (
	// failing is printed by test runners that found a failure, once or once a test.
	failing = regexp.MustCompile(`(?m)^(--- )?FAIL(ED|:|\s|$)`)
	// passing stands alone on its line, so that prose about a password is no test run.
	passing = regexp.MustCompile(`(?m)^PASS(ED)?\s*$`)
	// exitStatus is printed by go and by make when a command failed.
	exitStatus = regexp.MustCompile(`(?m)(?:^|\s)exit (?:status|code) (\d{1,3})\s*$`)
	// hunk begins a piece of a unified diff.
	hunk = regexp.MustCompile(`(?m)^@@ -\d+(,\d+)? \+\d+(,\d+)? @@`)
)

// verdictOf returns what a test run or a diff of several lines says in all, "" for other texts.
func verdictOf(s string) string {
	lines := count(strings.Count(s, "\n")+1, "lines")
	switch {
	// Most texts have none of these words, and to look for a word costs far less than an expression.
	case strings.Contains(s, "@@ -") && hunk.MatchString(s):
		return changed(s)
	case strings.Contains(s, "FAIL") && failing.MatchString(s):
		if status := exitStatus.FindStringSubmatch(s); status != nil {
			return "FAIL, exit " + status[1] + ", " + lines
		}
		return "FAIL, " + lines
	case strings.Contains(s, "PASS") && passing.MatchString(s):
		return "PASS, " + lines
	}
	return ""
}

// changed counts the lines that a diff adds and removes.
func changed(diff string) string {
	added, removed := 0, 0
	for line := range strings.SplitSeq(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}
