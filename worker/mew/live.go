package mew

import (
	"slices"

	"candor/safety"
)

// maxUnopened is how many frames wait for their stream to be opened.
const maxUnopened = 64

// liveText is the stream on which the text of a running turn is shown while the model writes it.
// The turn's lock guards it.
type liveText struct {
	request string   // id of the request for the stream; empty if there is none
	opening string   // id of the gateway's answer
	stream  string   // the stream; empty before it is open
	unsent  []object // frames for which there was no stream yet
}

// openLiveText asks the gateway for a stream, if the space allows the participant one.
func (t *turn) openLiveText() {
	if !t.Dispatcher.Stream {
		return
	}
	e, err := newEnvelope("stream/request", object{
		"direction": "upload", "description": "reasoning:" + t.start, "content_type": "application/json",
	})
	if err != nil {
		return
	}
	e.To = []string{"gateway"}
	t.lock.Lock()
	t.live.request = e.ID
	t.frame(object{"context": t.start, "type": "status", "event": "start"})
	t.lock.Unlock()
	if t.say(e) == "" {
		t.lock.Lock()
		defer t.lock.Unlock()
		t.live = liveText{}
	}
}

// hearStream takes the gateway's answer to the request for a stream. If the turn has ended
// meanwhile, nobody needs the stream any more.
func (m *member) hearStream(e envelope) {
	var in struct {
		ID string `json:"stream_id"`
	}
	e.read(&in)
	m.mu.Lock()
	late := e.Kind == "stream/open" && m.unopened.take(e.Correlation)
	if m.running != nil && in.ID != "" {
		m.running.hearStreamOfTurn(e, in.ID)
	}
	m.mu.Unlock()
	if late {
		m.tell("stream/close", "", nil, object{"stream_id": in.ID, "reason": "complete"}, e.ID)
	}
}

// hearStreamOfTurn adopts the stream that the gateway has opened for the turn, or gives up one
// that somebody has closed.
func (t *turn) hearStreamOfTurn(e envelope, stream string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	switch {
	case e.Kind == "stream/open" && e.names(t.live.request) && t.live.stream == "":
		t.live.stream, t.live.opening = stream, e.ID
		unsent := t.live.unsent
		t.live.unsent = nil
		for _, f := range unsent {
			t.frame(f)
		}
	case e.Kind == "stream/close" && stream == t.live.stream:
		t.live = liveText{}
	}
}

// unopened are requests for streams whose turns ended before the gateway answered: the latest
// few. A gateway that never answers must not make them pile up.
type unopened []string

// add remembers a request.
func (u *unopened) add(request string) {
	*u = append(*u, request)
	*u = (*u)[max(0, len(*u)-maxWaiting):]
}

// take forgets one of the requests with these ids, and reports whether there was one.
func (u *unopened) take(requests []string) bool {
	for i, id := range *u {
		if slices.Contains(requests, id) {
			*u = slices.Delete(*u, i, i+1)
			return true
		}
	}
	return false
}

// frame sends a frame, or keeps it until the stream is open. The caller holds the turn's lock.
func (t *turn) frame(content object) {
	switch {
	case t.live.request == "":
	case t.live.stream == "":
		t.live.unsent = append(t.live.unsent, content)
		if len(t.live.unsent) > maxUnopened {
			t.live.unsent = slices.Delete(t.live.unsent, 0, 1)
		}
	default:
		raw, err := safety.Marshal(content)
		if err != nil {
			return
		}
		_ = t.out.add(parcel{raw: slices.Concat([]byte("#"+t.live.stream+"#"), raw)})
	}
}

// StreamText implements agent.TextStreamer.
func (r *recorder) StreamText(step, index int, text safety.Text) {
	path := r.path(r.agent)
	f := object{"context": path, "type": "token", "step": step, "index": index, "value": text.String()}
	if text.Empty() {
		f = object{"context": path, "type": "status", "event": "withdrawn", "step": step}
	}
	if path == "" || r.hasStopped() {
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.frame(f)
}

// closeLiveText ends the stream, or makes the gateway's late answer end it.
func (t *turn) closeLiveText() {
	live, reason := t.endLiveText()
	if live.stream != "" {
		t.tell("stream/close", "", nil, object{"stream_id": live.stream, "reason": reason}, live.opening)
	}
}

// loseLiveText forgets a stream that is gone.
func (t *turn) loseLiveText() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.live = liveText{}
}

// endLiveText sends the last frame and forgets the stream, which it returns with the reason for
// its end.
func (t *turn) endLiveText() (live liveText, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lock.Lock()
	defer t.lock.Unlock()
	reason, live = "complete", t.live
	if t.stopped != "" {
		reason = "cancelled"
	}
	t.frame(object{"context": t.start, "type": "status", "event": "conclusion", "cancelled": t.stopped != ""})
	t.live = liveText{}
	if live.stream == "" && live.request != "" {
		t.unopened.add(live.request)
	}
	return live, reason
}
