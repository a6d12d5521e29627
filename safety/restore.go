package safety

import "encoding/json"

// Restore returns a text or a JSON value as it was kept after it had been cleaned. Besides a [Layer]
// and [Literal] it is the only way to make one, and it cleans nothing: only the decoder of the
// session log may call it, with bytes that its encoder wrote. A test holds that nothing else does.
func Restore[T Text | JSON](kept string) T {
	var restored T
	switch p := any(&restored).(type) {
	case *Text:
		p.s = kept
	case *JSON:
		p.raw = json.RawMessage(kept)
	}
	return restored
}
