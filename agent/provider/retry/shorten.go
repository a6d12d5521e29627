package retry

import (
	"slices"
	"strings"
	"unicode/utf8"

	"candor/agent"
)

// shorten removes the oldest turns until about half of the conversation is left. System
// messages stay, and so does everything from the user's last message on. Turns are
// removed as a whole, so that no call loses its result. ok is false if there is no
// turn to remove. The caller's messages stay as they were.
func shorten(messages []agent.Message) (shorter []agent.Message, ok bool) {
	turns, current := split(messages)
	if len(turns) == 0 {
		return nil, false
	}
	whole := size(current)
	for _, t := range turns {
		whole += size(t)
	}
	kept, first := size(current), len(turns)
	for first > 1 && kept+size(turns[first-1]) <= whole/2 {
		first--
		kept += size(turns[first])
	}
	for i, t := range turns {
		if i >= first {
			shorter = append(shorter, t...)
			continue
		}
		for _, m := range t {
			if m.Role == agent.RoleSystem {
				shorter = append(shorter, m)
			}
		}
	}
	return append(shorter, current...), true
}

// split returns the earlier turns, each from one message of the user to the next, and
// the current turn. System messages before the first turn belong to it.
func split(messages []agent.Message) (earlier [][]agent.Message, current []agent.Message) {
	var starts []int
	for i, m := range messages {
		if m.Role == agent.RoleUser {
			starts = append(starts, i)
		}
	}
	if len(starts) < 2 {
		return nil, messages
	}
	from := 0
	for _, to := range starts[1:] {
		earlier = append(earlier, slices.Clip(messages[from:to]))
		from = to
	}
	return earlier, messages[from:]
}

// size estimates how much of the model's context the messages take.
func size(messages []agent.Message) (bytes int) {
	for _, m := range messages {
		bytes += len(m.Text)
		for _, c := range m.Calls {
			bytes += len(c.Name) + len(c.Arguments)
		}
		for _, o := range m.Opaque {
			bytes += len(o.Data)
		}
	}
	return bytes
}

// Forget returns the request without opaque reasoning, for a provider that refused it:
// the reasoning was changed, or another model made it. The caller's messages keep
// theirs.
func Forget(req agent.Request) agent.Request {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Opaque = nil
	}
	return req
}

const (
	maxText  = 2000 // of a provider's message, in bytes
	maxPiece = 8    // of a key, in bytes, that may be part of a text by chance
	keyMark  = "[key]"
)

// scrub removes the key from a text: the whole key, and every piece of it that is longer
// than chance explains, since a server may cut or escape what it repeats. The result
// is valid UTF-8 and at most maxText bytes long, plus an ellipsis if it was cut.
func scrub(text, key string) string {
	// Cut it roughly before the search, whose cost grows with the text.
	text = strings.ToValidUTF8(text[:min(len(text), 4*maxText)], "\uFFFD")
	if key != "" {
		text = strings.ReplaceAll(text, key, keyMark)
		text = withoutPieces(text, key)
	}
	if len(text) <= maxText {
		return text
	}
	cut := maxText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// withoutPieces replaces every part of text that consists of pieces of the key, each
// longer than maxPiece, by one keyMark.
func withoutPieces(text, key string) string {
	hit := make([]bool, len(text))
	for i := 0; i+maxPiece < len(text); i++ {
		if !strings.Contains(key, text[i:i+maxPiece+1]) {
			continue
		}
		for j := range maxPiece + 1 {
			hit[i+j] = true
		}
	}
	var out strings.Builder
	for i := range len(text) {
		switch {
		case !hit[i]:
			out.WriteByte(text[i])
		case i == 0 || !hit[i-1]:
			out.WriteString(keyMark)
		}
	}
	return out.String()
}
