package opencode

import (
	"bytes"
	"encoding/json"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// place is where the facts of a message belong.
type place struct {
	channel attach.Channel
	// The session that the person speaks to, and its turn.
	root, turn string
	// The sub-agent, whose session is sub; empty for the agent that the person speaks to.
	sub string
}

// sighting returns what all sightings of a message share.
func (p place) sighting(m *message) attach.Sighting {
	s := attach.Sighting{Agent: agent, Session: p.root, Channel: p.channel, Turn: p.turn, Sub: p.sub,
		At: m.Time.Created.time()}
	if m.Role == "assistant" {
		s.Group = m.ID
	}
	return s
}

// taking makes sightings of the parts of one message, which come in their order.
type taking struct {
	place   place
	message *message
	report  *rows.Report
	// What the message says; of an answer that is the turn's last it is the turn's answer.
	texts []string
	size  int
	// It asks for calls, which have these names; or the client made it of a command of a shell.
	calls    bool
	names    *rows.Calls
	byClient bool
	// All of its parts were read.
	whole bool
}

// ofShell begins what the client writes in a person's name when the person has it run a command.
const ofShell = "The following tool was executed by the user"

// sumsUp reports whether the answer is the program's summary of what no longer fits, which answers nobody.
func (m *message) sumsUp() bool {
	return m.Role == "assistant" && string(bytes.TrimSpace(m.Summary)) == "true"
}

// final reports whether no further answer follows in the turn.
func (m *message) final() bool {
	return m.Role == "assistant" && !m.sumsUp() && m.Time.Completed > 0 &&
		(m.Error != nil || m.Finish != "" && m.Finish != "tool-calls")
}

// facts returns the sightings of a part, whose place in the message is index.
func (t *taking) facts(in *part, index int) []attach.Sighting {
	s := t.place.sighting(t.message)
	if t.message.Role == "assistant" {
		s.Index = index
	}
	switch {
	case t.message.sumsUp():
		t.report.Skip("summary " + in.Type)
	case t.message.Role == "user" && in.Type == "text" && !in.Synthetic:
		t.keep(in.Text)
	case t.message.Role == "user":
		t.byClient = t.byClient || in.Type == "text" && strings.HasPrefix(in.Text, ofShell)
		t.report.Skip("user " + in.Type)
	case in.Type == "text":
		return t.said(in, s, false)
	case in.Type == "reasoning":
		return t.said(in, s, true)
	case in.Type == "tool":
		return t.call(in, s)
	case in.Type == "step-finish":
		if t.message.Finish == "" && in.Reason != "" {
			t.message.Finish = in.Reason // which older messages do not repeat
		}
		return t.used(in, s)
	case in.Type == "step-start": // it tells nothing, and every answer has it
	default:
		t.report.Skip("part " + in.Type)
	}
	return nil
}

// keep keeps a text of the message for its end, up to a bound: the texts of a message are one prompt, or one answer.
func (t *taking) keep(text string) {
	if t.size += len(text); t.size-len(text) <= rows.MaxText {
		t.texts = append(t.texts, text)
	}
}

// text returns what the message says, within the bound.
func (t *taking) text() string {
	text, cut := rows.Shorten(strings.Join(t.texts, "\n\n"))
	t.countCut(cut)
	return text
}

// said returns a text or a thought of the model. One that is still being written has no end, and is left until it has.
func (t *taking) said(in *part, s attach.Sighting, thought bool) []attach.Sighting {
	// An answer that was cut off may leave a text without an end; that of the answer stands for it.
	if in.Time.End == 0 && t.message.Time.Completed == 0 {
		return nil
	}
	if at := in.Time.Start.time(); !at.IsZero() {
		s.At = at
	}
	text, cut := rows.Shorten(in.Text)
	t.countCut(cut)
	if thought {
		t.report.Sealed += len(in.Metadata)
	} else {
		t.keep(text)
	}
	// Providers that seal thoughts leave the text empty, and put what they want back into the metadata.
	switch {
	case text != "":
		s.Said = &attach.Said{Text: text, Summary: thought, Final: !thought && t.message.final()}
	case thought && len(in.Metadata) > 0:
		s.Sealed = &attach.Sealed{Bytes: len(in.Metadata)}
	default:
		return nil
	}
	return []attach.Sighting{s}
}

// used returns what the answer cost, in the sums that all programs are counted in: what came from the cache is part of
// the input, and what the model thought part of the output.
func (t *taking) used(in *part, s attach.Sighting) []attach.Sighting {
	u := in.Tokens
	if min(u.Input, u.Output, u.Reasoning, u.Cache.Read, u.Cache.Write) < 0 {
		t.report.Malformed++
		return nil
	}
	// Of the counts of one answer the largest holds, so they share a place.
	s.Index = 0
	s.Used = &attach.Used{Input: u.Input + u.Cache.Read + u.Cache.Write, Output: u.Output + u.Reasoning,
		Reasoning: u.Reasoning, Cached: u.Cache.Read}
	if *s.Used == (attach.Used{}) {
		return nil
	}
	return []attach.Sighting{s}
}

// close returns what the whole message comes to: a person's prompt, or why the answer stopped and the end of the turn.
func (t *taking) close() []attach.Sighting {
	var out []attach.Sighting
	if reason := t.stopped(); reason != "" {
		s := t.place.sighting(t.message)
		s.Stopped = &attach.Stopped{Reason: reason}
		out = append(out, s)
	}
	return append(out, t.comesTo()...)
}

// stopped returns why the model ended the answer, unless it was done or asked for calls, as its parts show.
func (t *taking) stopped() string {
	m := t.message
	switch {
	case m.Role != "assistant" || m.sumsUp() || m.Time.Completed == 0 || m.Finish == "stop":
		return ""
	case m.Finish == "tool-calls" && !t.calls && t.whole:
		return attach.NoCall
	case m.Finish == "tool-calls":
		return ""
	}
	return m.Finish
}

// comesTo returns a person's prompt, or the end of the turn.
func (t *taking) comesTo() []attach.Sighting {
	s, m := t.place.sighting(t.message), t.message
	switch {
	case m.Role == "user" && t.place.sub == "" && len(t.texts) > 0:
		// What begins a sub-agent is among the parameters of the call.
		s.Prompted = &attach.Prompted{Text: t.text()}
	case m.final():
		s.At = m.Time.Completed.time()
		s.Ended = t.end()
	default:
		return nil
	}
	return []attach.Sighting{s}
}

// end returns how the turn, or the sub-agent, ended.
func (t *taking) end() *attach.Ended {
	failed := t.message.Error
	switch {
	case failed == nil && t.message.Finish == "content-filter":
		return &attach.Ended{Error: "The provider's filter stopped the answer."}
	case failed == nil:
		return &attach.Ended{Answer: t.text()}
	case failed.Name == "MessageAbortedError":
		return &attach.Ended{Interrupted: true, Answer: t.text()}
	}
	text, _ := rows.Shorten(failed.Data.Message)
	if strings.TrimSpace(text) == "" {
		text = "the turn failed, and the program does not say how"
	}
	return &attach.Ended{Error: text}
}

// about returns what is known of a session that a person speaks to.
func about(p place, s *session, model string) []attach.Sighting {
	var news attach.About
	for _, pair := range []struct {
		to   *string
		from string
	}{{&news.Version, s.Version}, {&news.Folder, s.Directory}, {&news.Title, s.Title}, {&news.Model, model}} {
		*pair.to, _ = rows.Shorten(pair.from)
	}
	if p.sub != "" || news == (attach.About{}) {
		return nil
	}
	return []attach.Sighting{{Agent: agent, Session: p.root, Channel: p.channel, At: s.Time.Created.time(),
		About: &news}}
}

// countCut counts a text that had to be cut.
func (t *taking) countCut(cut bool) {
	if cut {
		t.report.Cut++
	}
}

// decodePart decodes a part; ok is false for what is none.
func decodePart(raw []byte) (p part, ok bool) {
	return p, json.Unmarshal(raw, &p) == nil && p.Type != ""
}
