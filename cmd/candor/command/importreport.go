package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"candor/attach/transcript"
	"candor/cmd/candor/terminal"
)

// printImport says what was read, what the server made of it, and what was lost.
func (s importSettings) printImport(w io.Writer, r transcript.Report, p *importSender) {
	fmt.Fprintf(w, "Read %s in %s: %s gave %s.\n", bytesRead(r.Bytes), counted(r.Files, "file"),
		counted(r.Rows, "row"), counted(r.Sightings, "fact"))
	if s.dryRun {
		fmt.Fprintln(w, "Nothing was sent.")
	} else {
		s.printTaken(w, r.Sightings-p.answered-p.open, p)
	}
	if r.Compressed > 0 {
		fmt.Fprintf(w, "Not read: %s that Codex compressed. Unpack the ones you want (zstd -d rollout-….jsonl.zst), "+
			"and import the folder again.\n", counted(r.Compressed, "session"))
	}
	// Only what happened is said. What is lost comes before what was left out on purpose.
	for _, line := range []struct {
		n    int
		what string
	}{
		{r.Copied, "duplicate rows, from a fork or rewritten by the program, taken once"},
		{r.Malformed, "damaged rows, lost"},
		{r.TooLong, "rows longer than 16 MiB, lost"},
		{r.Torn, "files that end in the middle of a row"},
		{r.Cut, "texts and results longer than 128 KiB, cut to their beginning"},
		{r.Outside, "results that the file itself has cut"},
		{r.Sealed, "bytes of signatures, sealed thoughts and images, dropped"},
	} {
		if line.n > 0 {
			fmt.Fprintf(w, "  %s: %d\n", line.what, line.n)
		}
	}
	printDamaged(w, r.Damaged)
	s.printSkipped(w, r.Skipped)
	// Who does not find reasons on the page shall not look for a mistake.
	if r.Calls > 0 && r.Reasons == 0 {
		fmt.Fprintln(w, "No call has a reason; what the model said before a call is shown as its narrative.\n"+
			"To have hooks ask the model for reasons, run candor attach claude (or codex, gemini, qwen) --ask-reasons.")
	}
}

// printDamaged names the files that have damaged rows, as many as kinds of rows.
func printDamaged(w io.Writer, files []string) {
	for i, name := range files {
		if i == maxShownKinds {
			fmt.Fprintf(w, "    and %s more\n", counted(len(files)-i, "file"))
			return
		}
		fmt.Fprintf(w, "    damaged: %s\n", terminal.CleanLine(name))
	}
}

// printSkipped says how many rows and blocks were left out, and with --verbose of which kinds they are.
func (s importSettings) printSkipped(w io.Writer, kinds map[string]int) {
	sum := 0
	for _, n := range kinds {
		sum += n
	}
	switch {
	case sum == 0:
	case s.verbose:
		fmt.Fprintf(w, "Rows and blocks that tell nothing of decisions, or are not known: %s.\n", skippedKinds(kinds))
	default:
		fmt.Fprintf(w, "  rows and blocks that tell nothing of decisions, left out (-v lists them): %d\n", sum)
	}
}

// printTaken says what the server made of the facts, of which left were not posted, or refused. It names the page only
// where there is something to see: whoever is sent there for nothing looks for a mistake of their own.
func (s importSettings) printTaken(w io.Writer, left int, p *importSender) {
	if p.answered > 0 {
		fmt.Fprintf(w, "The server added %d and already had %d.\n", p.taken.Taken, p.taken.Known)
	}
	if p.open > 0 {
		fmt.Fprintf(w, "The server may have added %s more: its answer did not arrive in time.\n",
			counted(p.open, "fact"))
	}
	if left > 0 {
		fmt.Fprintf(w, "The server did not add %s.\n", counted(left, "fact"))
	}
	if s.follow && p.open+left > 0 { // else the error says it
		fmt.Fprintln(w, "Run the import again; nothing is added twice.")
	}
	// Where to look is said first: what was lost can be a long list.
	if p.taken.Taken+p.taken.Known > 0 {
		fmt.Fprintf(w, "See Watched agents on the page: %s/\n",
			terminal.CleanLine(strings.TrimSuffix(s.url, "/")))
	}
}

// skippedKinds lists kinds with their numbers, the largest first.
func skippedKinds(kinds map[string]int) string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		if d := kinds[b] - kinds[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	// Rare kinds are many, and their names are long.
	var parts []string
	for i, name := range names {
		if i == maxShownKinds {
			parts = append(parts, fmt.Sprintf("and %d more kinds", len(names)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", kinds[name], name))
	}
	return strings.Join(parts, ", ")
}

// maxShownKinds bounds the kinds that a summary names.
const maxShownKinds = 8

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// bytesRead returns a number of bytes as people read it.
func bytesRead(n int64) string {
	switch {
	case n < 1000:
		return counted(int(n), "byte")
	case n < 999_500:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
