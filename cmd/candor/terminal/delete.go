package terminal

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"candor/web/client"
)

// deletePrompt precedes the line that says whether a thread is deleted.
const deletePrompt = "y/n › "

// deleteThread is /delete [N|ID]. It asks first, and the next line answers. The question names the thread as the
// list does, so that a person sees which one a number meant. The end of the input deletes nothing.
func (r *REPL) deleteThread(ctx context.Context, args []string) error {
	word := strings.Join(args, " ")
	switch {
	case len(args) > 1:
		return usage("/delete takes the number of a thread in /threads, or its id; nothing stands for this one.")
	case r.JSON:
		return usage("/delete asks first, which it cannot among JSON. Leave out --json.")
	case word == "" && r.thread == "":
		return usage("Nothing has been said in this thread yet, so there is nothing to delete.")
	}
	var chosen client.Thread
	err := r.await(ctx, "fetching", func(ctx context.Context) error {
		list, _, err := r.Client.Threads(ctx)
		if err != nil {
			return err
		}
		id, err := Pick(list, cmp.Or(word, r.thread))
		if err != nil {
			return usage(err.Error() + " /threads lists yours.")
		}
		for _, t := range list {
			if t.ID == id {
				chosen = t
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.doomed = chosen.ID
	title := truncate(cmp.Or(CleanLine(chosen.Title), "(nothing said yet)"), 60)
	r.notice(yellow, "?", fmt.Sprintf("Delete %s, %s, for good? y deletes it, anything else keeps it.",
		title, plural(chosen.TurnCount, "turn")))
	return nil
}

// answerDelete deletes the thread that deleteThread asked about if the line says so. A thread whose turn runs is
// not deleted: the server refuses, and its message says what to do.
func (r *REPL) answerDelete(ctx context.Context, line string) error {
	id := r.doomed
	r.doomed = ""
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		r.notice(dim, "─", "Nothing is deleted.")
		return nil
	}
	err := r.await(ctx, "deleting", func(ctx context.Context) error { return r.Client.DeleteThread(ctx, id) })
	if err != nil {
		return err
	}
	if id == r.thread {
		r.leaveThread()
	}
	r.notice(green, "✓", "Deleted.")
	return nil
}

// leaveThread makes what is said next begin a new thread. Turns of the thread that is left go on at the
// server; /switch shows them again.
func (r *REPL) leaveThread() {
	r.follower.stop()
	r.thread, r.approvals = "", nil
	clear(r.running)
}
