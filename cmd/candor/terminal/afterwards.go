package terminal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"candor/web/client"
)

// pageScreen is a screen that can show a long text a window at a time. shown is false for a text
// that fits the window, or a window that is too small: the caller prints it.
type pageScreen interface {
	page(ctx context.Context, draw func(width int) []pagePart) (shown bool, err error)
}

// The commands of this file read the thread and change nothing. In JSON mode each prints the turns
// that it is about, as the server sent them.

// page shows what draw renders: in a pager if the screen has one and the text is longer than
// the window, else as a whole.
func (r *REPL) page(ctx context.Context, draw func(s Style) []pagePart) error {
	at := func(width int) []pagePart {
		s := r.Style
		s.Width = width
		return draw(s)
	}
	if screen, ok := r.Screen.(pageScreen); ok {
		if shown, err := screen.page(ctx, at); shown || err != nil {
			r.print("\n") // between the command and the prompt
			return err
		}
	}
	r.print("\n" + strings.TrimLeft(textOf(at(r.Style.Width)), "\n") + "\n")
	return nil
}

// why is /why [N|N.STEP].
func (r *REPL) why(ctx context.Context, args []string) error {
	number, step, ok := parseWhy(args)
	switch {
	case !ok:
		return usage("/why takes the number of a turn, or of a turn and a step: /why 4 or /why 4.2.")
	case r.thread == "":
		return usage("Nothing has been said in this thread yet.")
	}
	t, err := r.fetchTurn(ctx, number)
	if err != nil {
		return err
	}
	if step > 0 && len(r.Style.whole(t, step)) == 0 {
		return usage(fmt.Sprintf("Turn %d has no step %d that called a tool. /why %d shows all of it.", t.Number, step,
			t.Number))
	}
	if r.JSON {
		r.detail(t)
		return nil
	}
	return r.page(ctx, func(s Style) []pagePart { return s.whole(t, step) })
}

// parseWhy reads the arguments of /why. Without any the number is 0: the latest turn.
func parseWhy(args []string) (number, step int, ok bool) {
	if len(args) == 0 {
		return 0, 0, true
	}
	first, second, stepped := strings.Cut(args[0], ".")
	number, ok = parseNumber(first)
	if stepped && ok {
		step, ok = parseNumber(second)
		ok = ok && step > 0
	}
	return number, step, ok && number > 0 && len(args) == 1
}

// fetchTurn fetches a turn of the thread, the latest for 0. The lists of turns have shortened
// results, so a turn that is shown is always fetched by itself.
func (r *REPL) fetchTurn(ctx context.Context, number int) (turn client.Turn, err error) {
	err = r.await(ctx, "fetching", func(ctx context.Context) error {
		if number == 0 {
			for t, err := range r.Client.Turns(ctx, r.thread) {
				if err != nil {
					return err
				}
				number = t.Number
				break
			}
		}
		t, found, err := r.Client.Turn(ctx, r.thread, number)
		if err == nil && !found {
			return usage(fmt.Sprintf("There is no turn %d in this thread. /turns lists those there are.", number))
		}
		turn = t
		return err
	})
	return turn, err
}

// maxListed bounds the turns that /turns lists.
const maxListed = 500

// turns is /turns.
func (r *REPL) turns(ctx context.Context, args []string) error {
	switch {
	case len(args) > 0:
		return usage("/turns takes no argument.")
	case r.thread == "":
		return usage("Nothing has been said in this thread yet.")
	}
	var list []client.Turn
	err := r.await(ctx, "fetching all turns", func(ctx context.Context) error {
		for t, err := range r.Client.Turns(ctx, r.thread) {
			if err != nil || len(list) == maxListed {
				return err
			}
			list = append(list, t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// In JSON mode print is silent, and each turn is a line.
	for _, t := range list {
		if r.JSON {
			r.detail(t)
		}
	}
	if r.JSON {
		return nil
	}
	now, waiting := time.Now(), []string{}
	for _, q := range r.approvals {
		waiting = append(waiting, q.CallID)
	}
	return r.page(ctx, func(s Style) []pagePart { return s.turns(list, waiting, now) })
}

// diff is /diff N M.
func (r *REPL) diff(ctx context.Context, args []string) error {
	const help = usage("/diff takes the numbers of two turns: /diff 3 4.")
	if len(args) != 2 {
		return help
	}
	var both [2]client.Turn
	for i, word := range args {
		number, ok := parseNumber(word)
		switch {
		case !ok || number == 0:
			return help
		case r.thread == "":
			return usage("Nothing has been said in this thread yet.")
		}
		t, err := r.fetchTurn(ctx, number)
		if err != nil {
			return err
		}
		both[i] = t
	}
	if r.JSON {
		r.detail(both[0])
		r.detail(both[1])
		return nil
	}
	return r.page(ctx, func(s Style) []pagePart { return s.diff(both[0], both[1]) })
}
