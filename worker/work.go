package worker

import (
	"context"
	"errors"

	"candor/agent"
)

// work is one Run behind its start. It belongs to Run's goroutine.
type work struct {
	*Runtime
	*journal
	due  []Prompt // what no turn has ended for
	open bool     // more may come
}

// do takes the job's turns until there are no more, posts the result, and says how
// the job ended. A job that ctx stopped has no result.
func (w *work) do(ctx context.Context, again bool) error {
	if err := w.greet(again); err != nil {
		return err
	}
	for {
		p, ok, err := w.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return w.say(Result(true, w.past.answer))
		}
		if err := w.turn(ctx, p.Content); err != nil {
			return err
		}
	}
}

// greet ends what a worker before us left open and says that somebody works.
func (w *work) greet(again bool) error {
	for _, e := range w.past.closing() {
		if err := w.say(e); err != nil {
			return err
		}
	}
	if again {
		return w.say(Status("running", "A worker goes on behind what the log shows."))
	}
	return w.say(Status("running", "A worker has begun."))
}

// next is the prompt that is due, waiting for one where more may come. ok is false
// when there are none and will be none.
func (w *work) next(ctx context.Context) (p Prompt, ok bool, err error) {
	for len(w.due) == 0 && w.open {
		p, ok, err := w.prompt(ctx)
		switch {
		case err != nil:
			return p, false, err
		case ok:
			w.due = append(w.due, p)
			continue
		}
		if err := pause(ctx, w.poll()); err != nil {
			return p, false, err
		}
	}
	if len(w.due) == 0 {
		return p, false, nil
	}
	p, w.due = w.due[0], w.due[1:]
	if p.Done {
		w.due, w.open = nil, false
	}
	return p, p.Content != "" || !p.Done, nil // one that is last may say nothing more
}

// turn answers one prompt. It fails when ctx ended, and with ErrFailed once the
// job's result says that the turn failed.
func (w *work) turn(ctx context.Context, prompt string) error {
	messages := w.begin(prompt)
	err := w.Dispatcher.Run(ctx, &recorder{journal: w.journal}, messages)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return errors.Join(ErrFailed, w.say(Result(false, w.failed)))
	}
	w.end(prompt)
	return nil
}

// begin prepares the journal for a turn and gives the conversation with its prompt.
func (j *journal) begin(prompt string) []agent.Message {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.label, j.failed, j.groups, j.calls = map[string]int{}, "", j.past.groups, j.past.calls
	j.past.prompts = append(j.past.prompts[:j.past.turns], prompt)
	j.past.begin()
	// The dispatcher adds to its own copy.
	return append([]agent.Message(nil), j.past.messages...)
}

// end leaves the prompt to later turns as it is kept everywhere else: cleaned.
func (w *work) end(prompt string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, _ := w.Dispatcher.Safety.Mask(prompt)
	for i, m := range w.past.messages {
		if m.Role == agent.RoleUser && m.Text == prompt {
			w.past.messages[i].Text = text.String()
		}
	}
}
