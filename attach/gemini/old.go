package gemini

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"slices"

	"candor/attach"
)

// maxOld is how much of an old session file is read at once, in bytes.
const maxOld = 64 << 20

// OldReader reads a session file of versions that kept a session as one object, with all its messages in it, and wrote
// it anew with each of them. Its members are those of the rows that newer versions write, which move an old session
// to such a file when it goes on.
type OldReader struct {
	*Reader
	read int64
}

// NewOldReader is [NewReader] for an old session file.
func NewOldReader(growing bool) *OldReader { return &OldReader{Reader: NewReader(nil, growing)} }

// Offset returns how many bytes were read: all of the file, or none.
func (r *OldReader) Offset() int64 { return r.read }

// Read yields the sightings of the file. One that grows may be half written: then it yields nothing, and the next Read
// begins anew.
func (r *OldReader) Read(in io.Reader) iter.Seq2[attach.Sighting, error] {
	return func(yield func(attach.Sighting, error) bool) {
		raw, err := io.ReadAll(io.LimitReader(in, maxOld+1))
		if err != nil {
			yield(attach.Sighting{}, err)
			return
		}
		list, ok := oldRows(raw)
		switch {
		case len(bytes.TrimSpace(raw)) == 0:
		case len(raw) > maxOld:
			r.report.Rows, r.report.TooLong = r.report.Rows+1, r.report.TooLong+1
		case !ok && r.place.Growing:
		case !ok:
			r.report.Rows, r.report.Malformed = r.report.Rows+1, r.report.Malformed+1
		default:
			r.read += int64(len(raw))
			r.Reader.Read(bytes.NewReader(list))(yield)
		}
	}
}

// oldRows returns an old session file as the rows of a newer one.
func oldRows(raw []byte) (list []byte, ok bool) {
	var all map[string]json.RawMessage
	var messages []json.RawMessage
	if json.Unmarshal(raw, &all) != nil || json.Unmarshal(all["messages"], &messages) != nil {
		return nil, false
	}
	delete(all, "messages")
	first, _ := json.Marshal(all) // of values that were JSON
	each := slices.Insert(messages, 0, json.RawMessage(first))
	if title := all["summary"]; title != nil {
		set, _ := json.Marshal(map[string]any{"$set": map[string]json.RawMessage{"summary": title}})
		each = append(each, set)
	}
	var b bytes.Buffer
	for _, row := range each {
		_ = json.Compact(&b, row)
		b.WriteByte('\n')
	}
	return b.Bytes(), true
}

// IsOld reports whether the beginning of a file is that of an old session file.
func IsOld(beginning []byte) bool {
	text := bytes.TrimSpace(beginning)
	return len(text) > 0 && text[0] == '{' && bytes.Contains(text, []byte(`"sessionId"`)) &&
		bytes.Contains(text, []byte(`"projectHash"`)) && bytes.Contains(text, []byte(`"messages"`))
}
