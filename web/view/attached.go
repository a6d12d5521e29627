package view

import (
	"time"

	"candor/safety"
	"candor/session"
)

// AttachedInfo says what is known of the session of another program's agent. Folder is where it works. Texts that no
// channel told are empty. ToldAt is when it last did something that a channel told of, by its own clock, while a turn
// of it has no end.
type AttachedInfo struct {
	Version  safety.Text   `json:"version"`
	Model    safety.Text   `json:"model"`
	Folder   safety.Text   `json:"folder"`
	Title    safety.Text   `json:"title"`
	Channels []ChannelInfo `json:"channels"`           // that have told something, by name
	ToldAt   *time.Time    `json:"told_at,omitempty"`  // while a turn is open: the last that was told of it
	ActedAt  *time.Time    `json:"acted_at,omitempty"` // when it last did something, by its own clock
}

// ChannelInfo says when a channel last told something new, by the server's clock.
type ChannelInfo struct {
	Channel session.Channel `json:"channel"` // file, hooks, telemetry or wrapper
	HeardAt time.Time       `json:"heard_at"`
}

// SightedInfo says which channels told what of a call of an attached agent, the one whose word is shown first.
// Described is what the call does in the words of the model, among its parameters: it is no reason.
type SightedInfo struct {
	Described *safety.Text      `json:"described,omitempty"`
	Called    []session.Channel `json:"called"` // never null
	Reason    []session.Channel `json:"reason,omitempty"`
	Result    []session.Channel `json:"result,omitempty"`
	Took      []session.Channel `json:"took,omitempty"`
	Partial   bool              `json:"partial,omitempty"` // no channel has the whole result
}

// attachedInfo returns nil for a thread that is not that of an attached agent.
func attachedInfo(t session.Thread) *AttachedInfo {
	if !t.Origin.Attached() {
		return nil
	}
	info := &AttachedInfo{
		Version: t.Attached.Version, Model: t.Attached.Model, Folder: t.Attached.Folder, Title: t.Attached.Title,
		Channels: []ChannelInfo{}, ToldAt: timeOrNull(t.Told), ActedAt: timeOrNull(t.Attached.ActedAt),
	}
	for _, h := range t.Attached.Heard {
		info.Channels = append(info.Channels, ChannelInfo{h.Channel, h.At})
	}
	return info
}

// sightedInfo returns nil for a call of any other agent.
func sightedInfo(c session.Call) *SightedInfo {
	if c.Sighted == nil {
		return nil
	}
	return &SightedInfo{
		Described: orNull(c.Described), Called: c.Sighted.Called, Reason: c.Sighted.Reason, Result: c.Sighted.Result,
		Took: c.Sighted.Took, Partial: c.Sighted.Partial,
	}
}

// maxTold is how many facts of one event are told one by one. What has more is read from the history, to which the
// reasoning update that follows points.
const maxTold = 16

// sighted projects what a channel saw: the beginning and the end of the turn as for every turn, and each call and
// result. A later fact may change what an earlier one said of the turn, so each event gives a reasoning update,
// and the history has how the turn is now.
func sighted(t session.Turn, e session.Event, b session.Sighted, head func(string) frameHead) (frames []Frame) {
	if e.Turn == 0 {
		return nil
	}
	if t.FirstSeq == e.Seq {
		frames = append(frames, Frame{"thinking", thinkingFrame{
			frameHead: head("thinking"), Message: safety.Literal("Thinking…"), MessageID: t.Message,
			Input: orNull(t.Input),
		}})
	}
	if len(b.Sightings) <= maxTold {
		for _, s := range b.Sightings {
			frames = append(frames, fact(t, s, head)...)
		}
	}
	frames = append(frames, reasoningUpdate(t, head("reasoning_update")))
	for _, s := range b.Sightings {
		if s.Ended != nil && s.Sub == "" {
			return append(frames, sightedEnd(t, head))
		}
	}
	return frames
}

// fact projects a call, with the reason and parameters that are known of it, or its result.
func fact(t session.Turn, s session.Sighting, head func(string) frameHead) []Frame {
	c, ok := t.Call(s.Call)
	if !ok {
		return nil
	}
	of := func(kind string) frameHead {
		h := head(kind)
		h.Agent = c.Agent
		return h
	}
	switch {
	case s.Called != nil:
		return []Frame{toolStarted(c, of)}
	case s.Returned != nil:
		return toolReturned(t, session.ToolReturned{
			Call: c.ID, Outcome: c.Outcome, Result: c.Result, Error: c.Error, Took: c.Took,
		}, of)
	}
	return nil
}

// sightedEnd projects the end of a turn.
func sightedEnd(t session.Turn, head func(string) frameHead) Frame {
	switch {
	case t.State == session.Failed:
		return Frame{"error", errorFrame{head("error"), t.Error, stopInfo(t.Stop)}}
	case t.State == session.Interrupted:
		return Frame{"status", statusFrame{head("status"), "Interrupted", session.Interrupted, "", Interruption{}}}
	case t.Response.Empty():
		return Frame{"status", statusFrame{head("status"), "Completed", session.Completed, "", Interruption{}}}
	}
	return Frame{"response", responseFrame{head("response"), t.Response, stopInfo(t.Stop)}}
}
