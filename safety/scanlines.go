package safety

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine is the longest line that ScanLines accepts, in bytes. A longer one ends the
// scan with an error.
const maxLine = 64 << 20

// lineIn is an object that ScanLines reads: one of text, json and chunks is set.
type lineIn struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Text   *string         `json:"text"`
	JSON   json.RawMessage `json:"json"`
	Chunks []string        `json:"chunks"`
}

// lineOut is the answer to a line. ID is the line's, unchanged.
type lineOut struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Text     string          `json:"text"`
	JSON     json.RawMessage `json:"json,omitempty"`
	Emitted  []string        `json:"emitted,omitempty"`
	Verdict  string          `json:"verdict"`
	Findings []Finding       `json:"findings"`
	Error    string          `json:"error,omitempty"`
}

// ScanLines reads one JSON object a line from r and writes one a line to w, in the same
// order. An object has an id and one of text, json and chunks. Chunks go through a
// [Stream]; the answer lists what each call returned as emitted. Matches that block are
// masked. A line that is not such an object gets an answer with an error and does not end
// the scan; empty lines are skipped. ScanLines returns the first error of r or w.
func (l *Layer) ScanLines(r io.Reader, w io.Writer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := out.Encode(l.scanLine(lines.Bytes())); err != nil {
			return err
		}
	}
	return lines.Err()
}

// scanLine cleans what one line holds and returns the answer.
func (l *Layer) scanLine(line []byte) lineOut {
	var in lineIn
	err := json.Unmarshal(line, &in)
	if err == nil && in.Text == nil && in.JSON == nil && in.Chunks == nil {
		err = errors.New(`a line needs "text", "json" or "chunks"`)
	}
	if err != nil {
		return lineOut{ID: in.ID, Verdict: "error", Findings: []Finding{}, Error: err.Error()}
	}
	out := lineOut{ID: in.ID}
	var report Report
	switch {
	case in.Chunks != nil:
		s := l.Stream().eager()
		for _, c := range in.Chunks {
			out.Emitted = append(out.Emitted, s.Write(c))
		}
		var rest string
		rest, report = s.Close()
		out.Emitted = append(out.Emitted, rest)
		for _, e := range out.Emitted {
			out.Text += e
		}
	case in.JSON != nil:
		var value JSON
		value, report = l.CleanJSON(in.JSON)
		out.JSON, out.Text = value.Raw(), string(value.Raw())
	default:
		var text Text
		text, report = l.Mask(*in.Text)
		out.Text = text.String()
	}
	out.Verdict, out.Findings = report.Verdict.String(), append([]Finding{}, report.Findings...)
	return out
}
