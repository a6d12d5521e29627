package transcript

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"candor/attach"
	"candor/attach/claude"
	"candor/attach/copilot"
	"candor/attach/gemini"
	"candor/attach/pi"
	"candor/attach/rows"
)

// counted says how far a file was read, and what was counted.
type counted interface {
	// Offset returns how many bytes were read.
	Offset() int64
	// Report returns what was counted so far.
	Report() rows.Report
}

// reader turns the rows of one session file into sightings.
type reader interface {
	counted
	// Read yields the sightings of the rows in in, which goes on where the last Read ended. It ends with an error only
	// if in cannot be read.
	Read(in io.Reader) iter.Seq2[attach.Sighting, error]
	// End returns the end of the turn that nothing in the file ends.
	End() []attach.Sighting
}

// format is how one program keeps its sessions in files of rows.
type format struct {
	// folder is where its session files stand below the program's own folder.
	folder string
	// is reports whether a file is one of the format, by its path.
	is func(path string) bool
	// open returns a reader of the file at a path. growing says that the file may still be written.
	open func(path string, seen *seen, growing bool) reader
	// describe returns what stands beside a file of the session that it tells; ok is false while there is nothing,
	// yet. It is nil for a format that keeps nothing beside its files.
	describe func(path string, r reader) (s attach.Sighting, ok bool, err error)
}

// seen is what the files of a walk know of each other.
type seen struct {
	claude claude.Rows
}

// formats are those that are read. The first that takes a file has it; the last one takes every file that ends as
// session files do, so that a file of a person's own name is read, too.
var formats = []format{
	{folder: "tmp", is: isGemini, open: openGemini},
	{folder: "tmp", is: isOldGemini, open: openOldGemini},
	{folder: "sessions", is: rollout(".jsonl"), open: openCodex},
	{folder: "archived_sessions", is: rollout(".jsonl"), open: openCodex},
	{folder: "sessions", is: rollout(".jsonl" + compressed), open: openCompressed},
	{folder: "archived_sessions", is: rollout(".jsonl" + compressed), open: openCompressed},
	{folder: "session-state", is: isCopilot, open: openCopilot},
	{folder: "history-session-state", is: ofCopilot.MatchString, open: openLegacy},
	{folder: "sessions", is: isPi, open: openPi},
	{folder: "projects", is: named(".jsonl"), open: openClaude, describe: describeClaude},
}

// formatOf returns the format of a file; ok is false if it is none that is read.
func formatOf(path string) (f format, ok bool) {
	for _, f := range formats {
		if f.is(path) {
			return f, true
		}
	}
	return format{}, false
}

// named returns what reports whether a file's name ends with a suffix.
func named(suffix string) func(path string) bool {
	return func(path string) bool { return strings.HasSuffix(path, suffix) }
}

// openClaude reads a file of Claude Code.
func openClaude(_ string, s *seen, growing bool) reader { return claude.NewReader(&s.claude, growing) }

// isGemini reports whether a file is one of Gemini CLI: that of a session in a folder chats, or of a sub-agent in a
// folder of the session there.
func isGemini(path string) bool {
	// Session files of other programs may be below a folder of this name, but not with this name in it.
	folder := filepath.Dir(path)
	ofSession := filepath.Base(folder) == "chats" && strings.HasPrefix(filepath.Base(path), "session-")
	ofSub := filepath.Base(filepath.Dir(folder)) == "chats"
	return filepath.Ext(path) == ".jsonl" && (ofSession || ofSub)
}

// openGemini reads a file of Gemini CLI, and with it those of its sub-agents, which stand in the same project's folder.
func openGemini(path string, _ *seen, growing bool) reader {
	return gemini.NewReader(os.DirFS(filepath.Dir(filepath.Dir(path))), growing)
}

// isOldGemini reports whether a file is one of a version of Gemini CLI that wrote a session as one object. Where the
// session went on, a newer version has written a file of rows beside it, which has all that this one has.
func isOldGemini(path string) bool {
	name, isOld := strings.CutSuffix(path, ".json")
	if !isOld || !isGemini(name+".jsonl") {
		return false
	}
	_, err := os.Stat(name + ".jsonl")
	return errors.Is(err, fs.ErrNotExist)
}

// openOldGemini reads such a file.
func openOldGemini(_ string, _ *seen, growing bool) reader { return gemini.NewOldReader(growing) }

// isCopilot reports whether a file is one of GitHub Copilot CLI: that of a session in the session's own folder, or, of
// an older version, beside those of others.
func isCopilot(path string) bool {
	folder := filepath.Dir(path)
	inOwn := filepath.Base(path) == "events.jsonl" && filepath.Base(filepath.Dir(folder)) == "session-state"
	return inOwn || filepath.Ext(path) == ".jsonl" && filepath.Base(folder) == "session-state"
}

// openCopilot reads a file of GitHub Copilot CLI, whose session its folder names, or the file itself.
func openCopilot(path string, _ *seen, growing bool) reader {
	session := filepath.Base(filepath.Dir(path))
	if base := filepath.Base(path); base != "events.jsonl" {
		session = strings.TrimSuffix(base, ".jsonl")
	}
	return copilot.NewReader(session, growing)
}

// ofCopilot is how the first versions of GitHub Copilot CLI named a file.
var ofCopilot = regexp.MustCompile(`(^|[/\\])session_[^/\\]+_\d+\.json$`)

// openLegacy reads a file of those versions.
func openLegacy(string, *seen, bool) reader { return copilot.NewLegacyReader() }

// ofPi is how a file of Pi is named: by the time of its beginning and its session.
var ofPi = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d-]+Z_[^/\\]+\.jsonl$`)

// isPi reports whether a file is one of Pi.
func isPi(path string) bool { return ofPi.MatchString(filepath.Base(path)) }

// openPi reads the active branch of a file of Pi. A file that cannot be read has none; whoever reads it is told why.
func openPi(path string, _ *seen, growing bool) reader {
	var branch pi.Branch
	if in, err := os.Open(path); err == nil {
		branch, _ = pi.BranchOf(in)
		_ = in.Close()
	}
	return pi.NewReader(pi.SessionOf(path), branch, growing)
}

// maxMeta bounds the description of a sub-agent, in bytes.
const maxMeta = 64 << 10

// describeClaude returns what stands beside the session file of a sub-agent, once the file tells the turn.
func describeClaude(path string, r reader) (s attach.Sighting, ok bool, err error) {
	file, _ := r.(*claude.Reader)
	base := strings.TrimSuffix(path, ".jsonl")
	sub, isSub := strings.CutPrefix(filepath.Base(base), "agent-")
	if !isSub || file == nil || file.Turn() == "" {
		return s, false, nil
	}
	in, err := os.Open(base + ".meta.json")
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxMeta))
	if err != nil {
		return s, false, err
	}
	session := filepath.Base(filepath.Dir(filepath.Dir(path)))
	s, err = claude.Spawned(raw, session, sub)
	s.Turn = file.Turn()
	return s, err == nil, err
}
