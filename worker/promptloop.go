package worker

import (
	"context"
	"errors"

	"candor/agent"
	"candor/safety"
	"candor/session/pause"
)

// promptLoop answers a job's prompts one after the other. It runs on the goroutine of
// Runtime.Run.
type promptLoop struct {
	*Runtime
	*journal
	due  []Prompt // prompts without an answer, oldest first
	open bool     // more prompts may come
}

// run answers prompts until there are no more and posts the job's result. A job that is
// stopped by ctx gets no result, so that another worker can resume it. resumed says
// whether the run already has events.
func (l *promptLoop) run(ctx context.Context, resumed bool) error {
	if err := l.announce(resumed); err != nil {
		return err
	}
	for {
		p, ok, err := l.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return l.post(Result(true, l.history.answer))
		}
		if err := l.answer(ctx, p.Content); err != nil {
			return err
		}
	}
}

// announce closes the step that an earlier worker left open and reports that work has
// begun.
func (l *promptLoop) announce(resumed bool) error {
	for _, e := range l.history.closingEvents() {
		if err := l.post(e); err != nil {
			return err
		}
	}
	if resumed {
		return l.post(Status("running", "A worker resumes the job where its log ends."))
	}
	return l.post(Status("running", "A worker has started on the job."))
}

// next returns the next prompt without an answer, and waits for one if more may come.
// ok is false if there is none and none will come.
func (l *promptLoop) next(ctx context.Context) (p Prompt, ok bool, err error) {
	for len(l.due) == 0 && l.open {
		p, ok, err := l.fetchPrompt(ctx)
		switch {
		case err != nil:
			return p, false, err
		case ok:
			l.due = append(l.due, p)
			continue
		}
		if err := pause.For(ctx, l.pollInterval()); err != nil {
			return p, false, err
		}
	}
	if len(l.due) == 0 {
		return p, false, nil
	}
	p, l.due = l.due[0], l.due[1:]
	if p.Done {
		l.due, l.open = nil, false
	}
	return p, p.Content != "" || !p.Done, nil // the last prompt may be empty
}

// answer runs one turn. It returns ctx's cause if ctx has ended. If the turn fails, it
// posts the failure as the job's result and returns ErrFailed.
func (l *promptLoop) answer(ctx context.Context, prompt string) error {
	l.layer().Mask(prompt) // the model may repeat what the prompt names
	messages := l.beginTurn(prompt)
	err := l.Dispatcher.Run(ctx, &recorder{journal: l.journal}, messages)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return errors.Join(ErrFailed, l.post(Result(false, l.failure)))
	}
	l.endTurn(prompt)
	return nil
}

// layer returns the dispatcher's layer with the run's memory.
func (l *promptLoop) layer() *safety.Layer { return l.Dispatcher.Safety.Remember(l.seen) }

// endTurn replaces the prompt in the conversation by its cleaned text. The model sees a
// prompt in the user's own words only while it is answered.
func (l *promptLoop) endTurn(prompt string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, _ := l.layer().Mask(prompt)
	for i, m := range l.history.messages {
		if m.Role == agent.RoleUser && m.Text == prompt {
			l.history.messages[i].Text = text.String()
		}
	}
}
