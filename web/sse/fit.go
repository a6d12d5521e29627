package sse

import (
	"bytes"
	"encoding/json"
	"strings"
)

// framing is how many bytes an event may have besides its data, for its name and its id.
const framing = 512

// Fit returns frames whose events have at most limit bytes each, for clients that read lines of a bounded length; 0 is
// no limit. The long texts in the data of a longer event are cut, and end with "…". Where that is not enough, its lists
// keep their ends. The data has to be JSON.
func Fit(frames []byte, limit int) []byte {
	if limit <= 0 || len(frames) <= limit {
		return frames
	}
	var out bytes.Buffer
	for line := range bytes.Lines(frames) {
		field, data, ok := bytes.Cut(line, []byte(": "))
		if ok && string(field) == "data" && len(line) > limit-framing {
			out.WriteString("data: ")
			out.Write(FitJSON(bytes.TrimRight(data, "\n"), limit-framing-len("data: \n")))
			out.WriteByte('\n')
			continue
		}
		out.Write(line)
	}
	return out.Bytes()
}

// cuts are how much of texts and lists is left, the most first: bytes of a text, and entries of a list.
var cuts = []struct{ text, list int }{
	{16 << 10, 1 << 20}, {4 << 10, 1 << 20}, {1 << 10, 1 << 20}, {1 << 10, 64}, {512, 16}, {256, 4}, {128, 1}, {64, 0},
}

// FitJSON returns a JSON value with as much of its texts and lists as fits into limit bytes, and null for one of which
// nothing does.
func FitJSON(raw []byte, limit int) []byte {
	if len(raw) <= limit {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return []byte("null")
	}
	for _, c := range cuts {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		value = shortened(value, c.text, c.list)
		if e.Encode(value) == nil && b.Len()-1 <= limit {
			return bytes.TrimRight(b.Bytes(), "\n")
		}
	}
	return []byte("null")
}

// shortened returns a decoded value whose texts have at most text bytes, and whose lists have at most list entries.
func shortened(value any, text, list int) any {
	switch v := value.(type) {
	case string:
		if len(v) > text {
			return strings.ToValidUTF8(strings.TrimSuffix(v, "…")[:text-len("…")], "") + "…"
		}
	case []any:
		v = v[max(0, len(v)-list):]
		for i := range v {
			v[i] = shortened(v[i], text, list)
		}
		return v
	case map[string]any:
		for name := range v {
			v[name] = shortened(v[name], text, list)
		}
	}
	return value
}
