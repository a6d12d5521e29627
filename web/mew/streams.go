package mew

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"candor/safety"
	"candor/web/mew/wire"
)

// Codes of refusals about streams.
const (
	codeNoStream  wire.Code = "stream_not_found"
	codeNoTarget  wire.Code = "target_not_found"
	codeNoWriter  wire.Code = "unauthorized_stream_write"
	codeOperation wire.Code = "invalid_operation"
)

var (
	noStream = &wire.Refusal{Code: codeNoStream, Message: "The space has no open stream with this id."}
	noTarget = &wire.Refusal{Code: codeNoTarget, Message: "target names somebody who is not in the space."}
	noWriter = &wire.Refusal{Code: codeNoWriter,
		Message: "You may not write to this stream. Its owner can let you, with stream/grant-write."}
	notYours   = &wire.Refusal{Code: codeUnauthorized, Message: "Only the owner of the stream may do this."}
	ownWriting = &wire.Refusal{Code: codeOperation, Message: "An owner always may write. Transfer the stream first."}
	badFrame   = &wire.Refusal{Code: wire.CodeInvalid,
		Message: "A frame of a stream is #STREAM#DATA. A message is a JSON object."}
	badDirection   = &wire.Refusal{Code: wire.CodeInvalid, Message: "payload.direction has to be upload or download."}
	tooManyStreams = &wire.Refusal{Code: codeTooMany, Message: "You have as many streams open as one may. Close one."}
	fullOwner      = &wire.Refusal{Code: codeTooMany,
		Message: "new_owner has as many streams open as one may. Close one first."}
	longTerms = &wire.Refusal{Code: wire.CodeTooLarge,
		Message: "The payload of a stream/request has more than 8 KiB."}
)

// stream is an open stream of frames. The space's lock guards it.
type stream struct {
	id      string
	owner   *member
	writers []string
	targets []string                   // who gets the frames besides owner and writers; nil for all
	terms   map[string]json.RawMessage // the payload of the request
	created time.Time
	release func()
	cleaner map[string]*writing // of each writer, in a space that cleans
}

// describe returns what late joiners are told: all of the request, and who may write.
func (st *stream) describe() map[string]any {
	all := map[string]any{}
	for name, value := range st.terms {
		all[name] = value
	}
	all["stream_id"], all["owner"], all["authorized_writers"] = st.id, st.owner.id, st.writers
	all["created"] = st.created.UTC().Format(time.RFC3339Nano)
	return all
}

// openStream handles stream/request. The answer, stream/open, follows it at once.
func (s *space) openStream(m *member, e wire.Envelope, r *receipt) (func(), error) {
	var in struct {
		Direction string   `json:"direction"`
		Target    []string `json:"target"`
	}
	if err := decode(e, &in); err != nil {
		return nil, err
	}
	terms, err := wire.Members(e.Payload)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Direction != "upload" && in.Direction != "download":
		return nil, badDirection
	case len(e.Payload) > maxStreamTerms:
		return nil, longTerms
	case s.owned(m) >= maxStreams:
		return nil, tooManyStreams
	case slices.ContainsFunc(in.Target, func(id string) bool { return s.members[id] == nil }):
		return nil, noTarget
	}
	own, err := s.own()
	if err != nil {
		return nil, err
	}
	release, err := own.Hold(len(e.Payload) + entryCost)
	if err != nil {
		return nil, err
	}
	st := &stream{id: uuid.NewString(), owner: m, writers: []string{m.id}, targets: in.Target, terms: terms,
		created: e.TS, release: release}
	r.Stream = st.id
	return func() {
		s.streams[st.id] = st
		payload := map[string]any{
			"stream_id": st.id, "encoding": "text", "owner": m.id, "authorized_writers": st.writers,
		}
		if in.Target != nil {
			payload["target"] = in.Target
		}
		s.announce("stream/open", e.ID, payload)
	}, nil
}

// owned returns how many open streams a participant owns.
func (s *space) owned(m *member) (n int) {
	for _, st := range s.streams {
		if st.owner == m {
			n++
		}
	}
	return n
}

// streamOf finds the stream that a message is about: by payload.stream_id.
func (s *space) streamOf(e wire.Envelope, in *streamPayload) (*stream, error) {
	if err := decode(e, in); err != nil {
		return nil, err
	}
	if st := s.streams[in.Stream]; st != nil {
		return st, nil
	}
	return nil, noStream
}

// streamPayload has the members of all messages about a stream.
type streamPayload struct {
	Stream      string `json:"stream_id"`
	Participant string `json:"participant_id"`
	Owner       string `json:"new_owner"`
}

// closeStream handles stream/close of a writer or a target.
func (s *space) closeStream(m *member, e wire.Envelope, _ *receipt) (func(), error) {
	st, err := s.streamOf(e, &streamPayload{})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(st.writers, m.id) && !slices.Contains(st.targets, m.id) {
		return nil, notYours
	}
	s.flush(st)
	return func() { s.dropStream(st) }, nil
}

// dropStream forgets a stream, so that no frame of it follows. The caller holds mu.
func (s *space) dropStream(st *stream) {
	delete(s.streams, st.id)
	st.release()
}

// dropStreams closes the streams of a participant who has left, and takes the participant from
// the writers of others. The caller holds mu.
func (s *space) dropStreams(gone *member) {
	for _, st := range s.streams {
		if st.owner == gone {
			s.flush(st)
			s.dropStream(st)
			s.announce("stream/close", "", map[string]string{"stream_id": st.id, "reason": "disconnected"})
			continue
		}
		if slices.Contains(st.writers, gone.id) {
			s.setWriter(st, gone.id, false, "")
		}
	}
}

// ownedStream finds the stream of a message that only its owner may send.
func (s *space) ownedStream(m *member, e wire.Envelope) (st *stream, in streamPayload, err error) {
	st, err = s.streamOf(e, &in)
	switch {
	case err != nil:
		return nil, in, err
	case st.owner != m:
		return nil, in, notYours
	}
	return st, in, nil
}

// grantWrite handles stream/grant-write {stream_id, participant_id}.
func (s *space) grantWrite(m *member, e wire.Envelope, _ *receipt) (func(), error) {
	st, in, err := s.ownedStream(m, e)
	if err != nil {
		return nil, err
	}
	if s.members[in.Participant] == nil {
		return nil, noParticipant
	}
	return func() { s.setWriter(st, in.Participant, true, e.ID) }, nil
}

// revokeWrite handles stream/revoke-write {stream_id, participant_id}.
func (s *space) revokeWrite(m *member, e wire.Envelope, _ *receipt) (func(), error) {
	st, in, err := s.ownedStream(m, e)
	if err != nil {
		return nil, err
	}
	switch {
	case s.members[in.Participant] == nil:
		return nil, noParticipant
	case in.Participant == m.id:
		return nil, ownWriting
	}
	return func() { s.setWriter(st, in.Participant, false, e.ID) }, nil
}

// setWriter lets a participant write to a stream or not, and tells everybody.
func (s *space) setWriter(st *stream, id string, may bool, about string) {
	st.writers = slices.DeleteFunc(slices.Clone(st.writers), func(w string) bool { return w == id })
	kind := "stream/write-revoked"
	if may {
		st.writers, kind = append(st.writers, id), "stream/write-granted"
	}
	s.announce(kind, about, map[string]any{
		"stream_id": st.id, "participant_id": id, "authorized_writers": st.writers,
	})
}

// transferStream handles stream/transfer-ownership {stream_id, new_owner}.
func (s *space) transferStream(m *member, e wire.Envelope, _ *receipt) (func(), error) {
	st, in, err := s.ownedStream(m, e)
	if err != nil {
		return nil, err
	}
	to := s.members[in.Owner]
	switch {
	case to == nil:
		return nil, noParticipant
	case to != m && s.owned(to) >= maxStreams:
		return nil, fullOwner
	}
	return func() {
		st.owner = to
		if !slices.Contains(st.writers, in.Owner) {
			st.writers = append(slices.Clone(st.writers), in.Owner)
		}
		s.announce("stream/ownership-transferred", e.ID, map[string]any{
			"stream_id": st.id, "previous_owner": m.id, "new_owner": in.Owner, "authorized_writers": st.writers,
		})
	}, nil
}

// frame passes a frame #STREAM#DATA on. Frames are not kept.
func (s *space) frame(m *member, f outgoing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := take(m.pace.frames, len(f.bytes), time.Now()); err != nil {
		return err
	}
	if err := s.refuseGuesses(m, time.Now()); err != nil {
		return err
	}
	id, data, ok := bytes.Cut(f.bytes[1:], []byte("#"))
	if !ok {
		return badFrame
	}
	st := s.streams[string(id)]
	switch {
	case s.closed || s.members[m.id] != m:
		return isClosed
	case m.shut:
		return isShut
	case st == nil:
		return noStream
	case !slices.Contains(st.writers, m.id):
		return noWriter
	}
	if s.clean {
		clean, err := s.cleanFrame(st, m, data)
		if err != nil || len(clean) == 0 {
			return err
		}
		f.bytes, f.binary = framed(st, clean), false
	}
	s.sendFrame(st, f)
	return nil
}

// framed returns data as a frame of a stream.
func framed(st *stream, data []byte) []byte { return slices.Concat([]byte("#"+st.id+"#"), data) }

// maxCleaned is after how many bytes of a writer's text it is cleaned anew: a safety.Stream does not go on for ever.
const maxCleaned = 64 << 10

// cleanFrame returns what may be shown of a writer's next frame: nothing, while what follows may make it a secret.
// The text of a frame of JSON is its value; the rest of that is cleaned by itself.
func (s *space) cleanFrame(st *stream, m *member, data []byte) ([]byte, error) {
	if !utf8.Valid(data) {
		return nil, cannotClean
	}
	own, err := s.own()
	if err != nil {
		return nil, err
	}
	layer := s.server.options.Safety.Remember(own.Seen()).By(s.guest(m))
	w := st.cleaner[m.id]
	if w == nil {
		w = &writing{Stream: layer.Stream()}
		if st.cleaner == nil {
			st.cleaner = map[string]*writing{}
		}
		st.cleaner[m.id] = w
	}
	members, err := wire.Members(data)
	if w.json = err == nil; !w.json {
		return []byte(w.next(layer, string(data))), nil
	}
	var value string
	if json.Unmarshal(members["value"], &value) == nil && len(members["value"]) > 0 {
		members["value"], _ = json.Marshal(w.next(layer, value))
	}
	raw, err := json.Marshal(members)
	clean, _ := layer.CleanJSON(raw)
	return clean.Raw(), err
}

// writing is what a writer has written to a stream, as it is cleaned.
type writing struct {
	*safety.Stream
	n    int  // bytes since it was cleaned anew
	json bool // the latest frame was JSON
}

// next returns what may be shown once text has been written.
func (w *writing) next(layer *safety.Layer, text string) string {
	out := w.Write(text)
	if w.n += len(text); w.n > maxCleaned {
		rest, _ := w.Close()
		out, w.Stream, w.n = out+rest, layer.Stream(), 0
	}
	return out
}

// flush passes on what was held back of a stream that ends.
func (s *space) flush(st *stream) {
	for _, writer := range slices.Sorted(maps.Keys(st.cleaner)) {
		w := st.cleaner[writer]
		rest, _ := w.Close()
		if rest == "" {
			continue
		}
		data := []byte(rest)
		if w.json {
			data, _ = json.Marshal(map[string]string{"type": "token", "value": rest})
		}
		s.sendFrame(st, outgoing{bytes: framed(st, data)})
	}
	st.cleaner = nil
}

// sendFrame sends a frame to those who may see it.
func (s *space) sendFrame(st *stream, f outgoing) {
	for l := range s.links {
		isTarget := slices.Contains(st.targets, l.member.id)
		if isTarget || slices.Contains(st.writers, l.member.id) || st.targets == nil && l.filter.all() {
			l.send(f)
		}
	}
}
