package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"candor/web/client"
)

// reasoning is /reasoning [N|all|last|search WORDS].
func (r *REPL) reasoning(ctx context.Context, args []string) error {
	q, err := parseReasons(args)
	switch {
	case err != nil:
		return err
	case r.thread == "" && q.which == oneTurn:
		r.print("\n" + r.Style.NoTurn(args[0]) + "\n")
		return nil
	case r.thread == "":
		return usage("Nothing has been said in this thread yet.")
	case q.which == lastTurn:
		return r.latest(ctx)
	case q.which == foundTurns:
		return r.search(ctx, q.words)
	case q.which == allTurns:
		return r.all(ctx)
	}
	return r.await(ctx, "fetching", func(ctx context.Context) error {
		t, found, err := r.Client.Turn(ctx, r.thread, q.number)
		switch {
		case err != nil:
			return err
		case !found && q.number > 0 && q.number <= r.dropped.Turns && r.dropped.ThreadID == r.thread:
			r.notice(yellow, "┄", fmt.Sprintf("Turn %d was dropped from the server's memory to make room%s.", q.number,
				r.droppedAt))
		case !found:
			r.print("\n" + r.Style.NoTurn(args[0]) + "\n")
		default:
			r.detail(t)
		}
		return nil
	})
}

// detail prints a turn in full, or its JSON.
func (r *REPL) detail(t client.Turn) {
	if r.JSON {
		r.Screen.Print(SafeJSON(t.Raw) + "\n")
		return
	}
	r.print("\n" + r.Style.Detail(t, "") + "\n")
}

// latest shows the latest turn that has ended.
func (r *REPL) latest(ctx context.Context) error {
	return r.await(ctx, "fetching", func(ctx context.Context) error {
		for t, err := range r.Client.Turns(ctx, r.thread) {
			if err != nil {
				return err
			}
			if t.Ended() {
				r.detail(t)
				return nil
			}
		}
		return usage(noneEnded)
	})
}

// all shows every turn that has ended, the oldest first.
func (r *REPL) all(ctx context.Context) error {
	return r.await(ctx, "fetching all turns", func(ctx context.Context) error {
		turns, err := r.endedTurns(ctx)
		if err != nil {
			return err
		}
		for _, t := range turns {
			if r.JSON {
				r.detail(t)
				continue
			}
			r.print("\n" + r.Style.Detail(t, ""))
		}
		r.print("\n")
		return nil
	})
}

// endedTurns fetches the turns of the thread that have ended, the oldest first.
func (r *REPL) endedTurns(ctx context.Context) ([]client.Turn, error) {
	var turns []client.Turn
	for t, err := range r.Client.Turns(ctx, r.thread) {
		if err != nil {
			return nil, err
		}
		if t.Ended() {
			turns = append(turns, t)
		}
	}
	slices.Reverse(turns)
	return turns, nil
}

// search is /reasoning search: it shows where all of the words occur together.
func (r *REPL) search(ctx context.Context, words []string) error {
	return r.await(ctx, "searching", func(ctx context.Context) error {
		turns, err := r.endedTurns(ctx)
		if err != nil {
			return err
		}
		var out strings.Builder
		for _, t := range turns {
			out.WriteString(r.Style.Hits(t, words))
		}
		if out.Len() == 0 {
			r.notice(dim, "─", nothingFound)
			return nil
		}
		r.print("\n" + out.String() + "\n")
		return nil
	})
}

// view is /view [live|full].
func (r *REPL) view(_ context.Context, args []string) error {
	words := strings.Join(args, " ")
	switch words {
	case "live", "full":
		r.LiveView = words == "live"
	case "":
	default:
		return usage("/view takes live or full.")
	}
	name, what := "full", "Why is said once more below each answer."
	if r.LiveView {
		name, what = "live", "Each call is shown once, with its reason and its result."
	}
	r.notice(dim, "┄", "The view is "+name+". "+what)
	return nil
}

// threads is /threads.
func (r *REPL) threads(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return usage("/threads takes no argument.")
	}
	return r.await(ctx, "fetching", func(ctx context.Context) error {
		list, _, err := r.Client.Threads(ctx)
		if err != nil {
			return err
		}
		// In JSON mode print is silent, and each thread is a line.
		for _, t := range list {
			if raw, err := json.Marshal(t); r.JSON && err == nil {
				r.Screen.Print(SafeJSON(raw) + "\n")
			}
		}
		r.print("\n" + r.Style.Threads(list, r.thread, time.Now()) + "\n")
		return nil
	})
}

// newThread is /new. The server opens the thread with its first message.
func (r *REPL) newThread(_ context.Context, args []string) error {
	if len(args) > 0 {
		return usage("/new takes no argument; say what you want to say next.")
	}
	r.leaveThread()
	r.notice(dim, "┄", "A new conversation begins with what you say next.")
	return nil
}

// switchThread is /switch N|ID.
func (r *REPL) switchThread(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return usage("/switch takes the number of a thread in /threads, or its id.")
	}
	var id string
	err := r.await(ctx, "fetching", func(ctx context.Context) error {
		list, _, err := r.Client.Threads(ctx)
		if err != nil {
			return err
		}
		if id, err = Pick(list, args[0]); err != nil {
			return usage(err.Error() + " /threads lists yours.")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.attach(ctx, id)
}

// minID is the shortest prefix of an id, in bytes. It keeps ids apart from numbers.
const minID = 4

// ErrNoThread is the error of Pick for a name that no thread has.
var ErrNoThread error = usage("There is no such thread.")

// Pick returns the id of the thread that a person names, by its number in the list
// or by a prefix of its id of at least four bytes. The error of an unknown or
// ambiguous name is a sentence for that person.
func Pick(list []client.Thread, word string) (string, error) {
	var found []string
	for _, t := range list {
		if len(word) >= minID && strings.HasPrefix(t.ID, word) {
			found = append(found, t.ID)
		}
	}
	if n, ok := parseNumber(word); ok && len(word) < minID && n >= 1 && n <= len(list) {
		return list[n-1].ID, nil
	}
	switch len(found) {
	case 0:
		return "", ErrNoThread
	case 1:
		return found[0], nil
	}
	return "", usage("Several threads begin like this. Give more of the id.")
}

// quit is /quit.
func (r *REPL) quit(_ context.Context, args []string) error {
	if len(args) > 0 {
		return usage("/quit takes no argument.")
	}
	return errQuit
}

// export is /export [md|jsonl|html] [FILE]. It never overwrites a file.
func (r *REPL) export(ctx context.Context, args []string) error {
	format := "md"
	if len(args) > 0 && slices.Contains(client.Formats, args[0]) {
		format, args = args[0], args[1:]
	}
	switch {
	case r.thread == "":
		return usage("Nothing has been said in this thread yet.")
	case len(args) > 1:
		return usage("/export takes a format (md, jsonl or html) and a file to write.")
	}
	name := "candor-" + strings.TrimSpace(shortID(r.thread)) + "." + format
	if len(args) == 1 {
		name = args[0]
	}
	var size int64
	err := r.await(ctx, "exporting", func(ctx context.Context) (err error) {
		size, err = ExportFile(name, func(w io.Writer) error { return r.Client.Export(ctx, r.thread, format, w) })
		return err
	})
	if err != nil {
		return err
	}
	r.notice(green, "✓", fmt.Sprintf("%s, %s", CleanLine(name), plural(int(size), "byte")))
	return nil
}
