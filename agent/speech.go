package agent

import (
	"strings"
	"sync/atomic"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// speech passes on what the model says in one step while it speaks: without private
// thoughts, cleaned, and in whole sentences. It belongs to the goroutine of its run.
//
// What was passed on is never the last word: the event that is recorded at the step's end
// replaces it. A speech withdraws its text as soon as it is known to be wrong: safety
// would withhold it, it was a thought, or the provider asks again.
type speech struct {
	run       *agentRun
	streamer  TextStreamer
	step      int
	filter    *thinking.Filter
	sentences *safety.Sentences
	version   uint64 // of the turn's memory when the text began
	heard     bool   // the model has spoken
	parts     int    // parts passed on since the text began
	silent    bool   // the text was withdrawn for good
}

// listen sets the request's OnText, if the turn streams text, and returns the speech of
// the step, or nil.
func (r *agentRun) listen(step int, req *Request) *speech {
	streamer, ok := r.rec.(TextStreamer)
	if !ok || !r.Stream {
		return nil
	}
	s := &speech{run: r, streamer: streamer, step: step}
	s.begin()
	req.OnText = s.hear
	return s
}

func (s *speech) begin() {
	s.filter = &thinking.Filter{Thinks: s.run.thinksAloud.thinks(s.run.Model)}
	s.sentences, s.version = s.run.Safety.Sentences(), s.run.seen.Version()
}

// hear takes the next piece of the model's text.
func (s *speech) hear(piece string) {
	if s.heard = true; piece == "" {
		s.withdraw()
		s.silent = false
		s.begin()
		return
	}
	if s.silent {
		return
	}
	s.pass(s.sentences.Write(s.filter.Write(piece)))
	if s.filter.Retracted() || s.sentences.Blocked() {
		s.withdraw()
		s.silent = true
	}
}

// pass publishes a part, unless safety would withhold the whole text.
func (s *speech) pass(part safety.Text) {
	if part.Empty() || s.sentences.Blocked() || s.filter.Retracted() {
		return
	}
	s.streamer.StreamText(s.step, s.parts, part)
	s.parts++
}

// withdraw takes back what was passed on.
func (s *speech) withdraw() {
	if s.parts > 0 {
		s.streamer.StreamText(s.step, 0, safety.Text{})
	}
	s.parts = 0
}

// end passes on the rest of the text, whose whole is known now. The parts then are the
// text that the step's event has, or were withdrawn.
func (s *speech) end(whole string) {
	if s == nil || !s.heard {
		return
	}
	s.run.thinksAloud.learn(whole, s.filter)
	if s.silent {
		return
	}
	rest, ok := s.filter.Close(whole)
	last := s.sentences.Write(rest)
	more, report := s.sentences.Close()
	if !ok || report.Verdict == safety.Blocked || s.outdated(whole) {
		s.withdraw()
		return
	}
	s.pass(last)
	s.pass(more)
}

// outdated reports whether a secret was named only after a part with it was passed on, so
// that the step's event has it masked.
func (s *speech) outdated(whole string) bool {
	if s.run.seen.Version() == s.version {
		return false
	}
	said, _ := s.sentences.SoFar()
	final, _ := s.run.Safety.Mask(thinking.Strip(whole))
	return said.String() != strings.TrimSpace(final.String())
}

// breakOff records what the model had said before the turn was stopped or failed as the
// step's narrative. A secret at its end, of which only a part had come, is left out.
func (s *speech) breakOff() {
	if s == nil || s.filter.Retracted() {
		return
	}
	said, report := s.sentences.SoFar()
	text, again := s.run.Safety.Mask(said.String()) // for what stands before its name
	report.Findings = session.Merge(report.Findings, again.Findings)
	n := session.Narrated{Step: s.step, Source: session.FromModel, Findings: report.Findings}
	if n.Blocked = report.Verdict == safety.Blocked; !n.Blocked {
		n.Text = text
	}
	if n.Blocked || !text.Empty() {
		s.run.record(n)
	}
}

// thinksAloud says whether a model's text may begin within a thought that has no opening
// tag, because the server's template has put the tag into the request. Nothing can then be
// streamed before the closing tag. The models known for it begin with that assumption; all
// others are believed until they prove otherwise. It is safe for concurrent use.
type thinksAloud struct{ state atomic.Int32 }

// The states of thinksAloud.
const (
	unknownThinker int32 = iota
	provenThinker        // has closed a thought that it never opened
	provenSpeaker        // has spoken without a thought although its name suggests one
)

// thinks reports whether the next text may begin within a thought.
func (t *thinksAloud) thinks(model string) bool {
	switch t.state.Load() {
	case provenThinker:
		return true
	case provenSpeaker:
		return false
	}
	model = strings.ToLower(model)
	for _, known := range []string{"deepseek-r1", "qwq", "thinking", "reasoner", "reasoning"} {
		if strings.Contains(model, known) {
			return true
		}
	}
	return false
}

// learn draws its conclusion from a whole text and the filter that followed it.
func (t *thinksAloud) learn(whole string, f *thinking.Filter) {
	switch {
	case f.Retracted():
		t.state.Store(provenThinker)
	case f.Thinks && !strings.ContainsAny(whole, "<[&"):
		t.state.CompareAndSwap(unknownThinker, provenSpeaker)
	}
}
