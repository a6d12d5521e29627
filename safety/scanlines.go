package safety

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine bounds a line that ScanLines reads.
const maxLine = 64 << 20

type lineIn struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Text   *string         `json:"text"`
	JSON   json.RawMessage `json:"json"`
	Chunks []string        `json:"chunks"`
}

type lineOut struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Text     string          `json:"text"`
	JSON     json.RawMessage `json:"json,omitempty"`
	Emitted  []string        `json:"emitted,omitempty"`
	Verdict  string          `json:"verdict"`
	Findings []Finding       `json:"findings"`
	Error    string          `json:"error,omitempty"`
}

// ScanLines reads a JSON object a line and writes one a line, in order. A line
// holds an id and either text, json or chunks; chunks go through a [Stream],
// and what each gave out comes back as emitted. What would block a text is
// masked in it. A line that cannot be read is answered by an error and does not
// end the scan.
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
		s := l.Stream()
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
