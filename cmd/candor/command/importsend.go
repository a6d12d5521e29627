package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"candor/attach/transcript"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// errInterrupted is the end of an import by a signal.
var errInterrupted = errors.New("interrupted; run the import again: nothing is added twice")

// importSender posts the batches of an import, and counts what became of their facts. It is not safe for concurrent
// use.
type importSender struct {
	client *client.Client // nil for a dry run, which posts nothing
	stderr io.Writer
	// With follow a server that is away is tried again at this interval; else it is an error.
	follow bool
	every  time.Duration

	// What the server said, and of how many facts it said that. It answers a batch as a whole, so that a batch whose
	// answer did not come was taken, or was not: nobody knows, and the next import finds out.
	taken    client.Attached
	answered int
	// Facts that were posted when the import ended, before the server answered.
	open int
}

// send posts a batch with n facts, and with follow waits for a server that is away. An error ends the import: what the
// server did not answer is not posted again, since an import that is run again posts it anyway.
func (p *importSender) send(ctx context.Context, batch []byte, n int) error {
	if p.client == nil {
		return nil
	}
	a, err := p.client.Attach(ctx, batch)
	if p.follow && isAway(err) {
		a, err = p.wait(ctx, batch)
	}
	if isFull(err) {
		// What the turn has no room for shall not keep out what stands behind it, in this file and in others.
		return p.sendTurns(ctx, batch)
	}
	switch {
	case err == nil:
		p.answered += n
	// The server may have read all of it.
	case ctx.Err() != nil && !errors.Is(err, errAway):
		p.open += n
	}
	p.taken.Taken += a.Taken
	p.taken.Known += a.Known
	return err
}

// sendTurns posts the turns of a batch one by one. What is not answered is said to be not taken.
func (p *importSender) sendTurns(ctx context.Context, batch []byte) error {
	runs := turnsIn(batch)
	if len(runs) == 1 {
		return nil
	}
	for _, one := range runs {
		if err := p.send(ctx, one, bytes.Count(one, []byte("\n"))); err != nil {
			return err
		}
	}
	return nil
}

// isFull reports whether an error says that a turn, or a session, has as many facts, or turns, as are kept of one.
func isFull(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Code == "too_many_sightings"
}

// turnsIn returns the parts of a batch whose lines are of one turn each, in their order.
func turnsIn(batch []byte) (runs [][]byte) {
	last := ""
	for line := range bytes.Lines(batch) {
		var of struct{ Session, Turn string }
		_ = json.Unmarshal(line, &of) // it was made here
		if turn := of.Session + "\x00" + of.Turn; len(runs) == 0 || turn != last {
			last = turn
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], line...)
	}
	return runs
}

// errAway is the end of an import whose server was away.
var errAway = errors.New("the server is not reachable")

// wait posts a batch until the server is back: who follows has time, so the batch waits here, and with it the reading.
func (p *importSender) wait(ctx context.Context, batch []byte) (a client.Attached, err error) {
	fmt.Fprintln(p.stderr, "The server is not reachable; new rows wait for it.")
	for {
		select {
		case <-time.After(p.every):
		case <-ctx.Done():
			return a, errAway
		}
		if a, err = p.client.Attach(ctx, batch); !isAway(err) {
			break
		}
	}
	if err == nil {
		fmt.Fprintln(p.stderr, "The server is back.")
	}
	return a, err
}

// isAway reports whether an error is that of a server that does not answer.
func isAway(err error) bool {
	_, away := errors.AsType[*client.Unreachable](err)
	return away
}

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
