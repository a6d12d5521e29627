package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// gap is the file that remembers which hooks of an agent's program were not passed on: a line with the time for each.
// Its folder is that of caches, since a lost one only leaves a gap unsaid.
type gap struct{ name string }

// maxGap bounds the file, in bytes; further hooks are not counted.
const maxGap = 64 << 10

// gapOf returns the gap of an agent's program.
func gapOf(agent string) gap {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return gap{filepath.Join(dir, "candor", "hooks-missed-"+agent)}
}

// widen adds a hook, and reports whether it is the first. Hooks that run side by side add whole lines. A gap
// that cannot be written is not said later: the agent goes on in any case.
func (g gap) widen(now time.Time) (first bool) {
	// Without a file this is the first hook; that two of them may think so at the same moment does no harm.
	info, err := os.Stat(g.name)
	if first = err != nil; first {
		_ = os.MkdirAll(filepath.Dir(g.name), 0o700)
	} else if info.Size() > maxGap {
		return false
	}
	f, err := openRegular(g.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return first
	}
	_, _ = f.WriteString(now.UTC().Format(time.RFC3339) + "\n")
	_ = f.Close()
	return first
}

// close ends the gap and says what was missed, or "" if nothing was. Of hooks that run side by side, one says it.
func (g gap) close() string {
	// Whoever moves the file away has it for themselves. What is missed from then on begins a new one.
	own := fmt.Sprintf("%s.%d", g.name, os.Getpid())
	if os.Rename(g.name, own) != nil {
		return ""
	}
	raw, err := readRegular(own)
	_ = os.Remove(own)
	lines := bytes.Fields(raw)
	if err != nil || len(lines) == 0 {
		return ""
	}
	// A line that is no time, by whoever's hand, is shown as the year 1 and not as an error.
	first, _ := time.Parse(time.RFC3339, string(lines[0]))
	last, _ := time.Parse(time.RFC3339, string(lines[len(lines)-1]))
	const form = "2006-01-02 15:04:05"
	when := "at " + first.Local().Format(form)
	if !first.Equal(last) {
		when = "between " + first.Local().Format(form) + " and " + last.Local().Format(form)
	}
	return fmt.Sprintf("Candor was not reachable or refused hooks: it missed %s %s. "+
		"To read that time from the session file, run candor import.", counted(len(lines), "hook"), when)
}

// withMessage returns a reply that also tells the agent's user something, ahead of what the server tells them.
func withMessage(reply []byte, message string) []byte {
	// All other members stay as the server wrote them.
	var members map[string]json.RawMessage
	if json.Unmarshal(reply, &members) != nil {
		return reply
	}
	var theirs string
	if json.Unmarshal(members["systemMessage"], &theirs) == nil && theirs != "" {
		message += "\n" + theirs
	}
	text, err := json.Marshal(message)
	if err != nil {
		return reply
	}
	members["systemMessage"] = text
	if raw, err := json.Marshal(members); err == nil {
		return raw
	}
	return reply
}
