package session

import (
	"strings"

	"candor/safety"
)

// maxRationale bounds one rationale, in bytes. One sentence is asked for, and a
// reasoning update carries every rationale of its turn.
const maxRationale = 4096

// CleanRationale cleans raw, the reason a model or worker gave for a call. It
// never returns an empty rationale: if nothing is left of raw, or safety blocked
// it, the result is [Fallback], with Blocked set in the second case. The report
// lists what was masked either way.
func CleanRationale(layer *safety.Layer, raw string) (Rationale, safety.Report) {
	text, report := layer.Limit(maxRationale).Clean(raw)
	if report.Verdict == safety.Blocked || strings.TrimSpace(text.String()) == "" {
		r := Fallback()
		r.Blocked = report.Verdict == safety.Blocked
		return r, report
	}
	return Rationale{Text: text, Source: FromModel}, report
}
