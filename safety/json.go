package safety

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"candor/safety/internal/invisible"
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
)

const (
	maxDepth = 64
	tooDeep  = "[truncated: nested too deep]"
	// closing is room kept for notices and brackets when a value is cut.
	closing = maxDepth * 32
)

// CleanJSON masks the keys and string leaves of a JSON value, by name and by
// content. Order, numbers and booleans stay as they were written. The result
// always parses and is about as long as a text may be; input that is not JSON
// becomes one string. What would block a text is masked.
func (l *Layer) CleanJSON(raw json.RawMessage) (JSON, Report) {
	var t tally
	if !json.Valid(raw) {
		w := &walker{layer: l, tally: &t, budget: l.max}
		w.text(string(raw), keyvalue.Plain)
		return JSON{w.out}, t.report(l.detector.Rules)
	}
	w := &walker{layer: l, in: raw, tally: &t, budget: max(l.max, 4*closing)}
	out := w.run()
	if w.full {
		t = tally{}
		w.budget -= closing
		out = w.run()
	}
	return JSON{out}, t.report(l.detector.Rules)
}

// walker copies a valid JSON value from in to out and cleans it on the way.
type walker struct {
	layer  *Layer
	in     []byte
	pos    int
	out    []byte
	tally  *tally
	budget int
	full   bool // the budget is spent
	inner  int  // how many strings of JSON we are inside of
}

func (w *walker) run() []byte {
	w.pos, w.full, w.out = 0, false, make([]byte, 0, min(len(w.in), w.budget)+64)
	w.value(0, keyvalue.Plain)
	return w.out
}

func (w *walker) space() {
	for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n"), w.in[w.pos]) >= 0 {
		w.pos++
	}
}

// fit takes back what was written since start if it is more than the budget
// holds, and writes a notice in its place.
func (w *walker) fit(start int) {
	if len(w.out) > w.budget {
		w.full = true
		w.out = appendString(w.out[:start], fmt.Sprintf("[truncated: %d bytes]", len(w.out)-start))
	}
}

// value copies the next value. name is what the key it belongs to promises.
func (w *walker) value(depth int, name keyvalue.KeyKind) {
	w.space()
	start := len(w.out)
	switch c := w.in[w.pos]; {
	case c == '{' || c == '[':
		if depth >= maxDepth {
			w.skip()
			w.out = appendString(w.out, tooDeep)
			return
		}
		if c == '{' {
			w.object(depth, name)
		} else {
			w.array(depth, name)
		}
	case c == '"':
		w.text(w.string(), name)
		w.fit(start)
	default:
		w.scalar(name)
		w.fit(start)
	}
}

// scalar copies a number, a boolean or null. A number under a secret name is
// masked; a boolean or null says nothing.
func (w *walker) scalar(name keyvalue.KeyKind) {
	start := w.pos
	for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n,]}"), w.in[w.pos]) < 0 {
		w.pos++
	}
	lit := w.in[start:w.pos]
	if name == keyvalue.Secret && (lit[0] == '-' || lex.Digits[lit[0]]) && len(lit) >= 3 {
		w.mask()
		return
	}
	w.out = append(w.out, lit...)
}

func (w *walker) mask() {
	i := w.layer.field
	w.tally.add(i, Redact)
	w.out = append(w.out, `"[REDACTED:`+w.layer.detector.Rules[i].ID+`]"`...)
}

// text writes a string leaf: masked when its name says so, cleaned otherwise.
func (w *walker) text(s string, name keyvalue.KeyKind) {
	if name == keyvalue.Secret && !standIn(s) || name == keyvalue.Weak && lex.Random(s) {
		w.mask()
		return
	}
	if inner, ok := w.nested(invisible.Strip(s)); ok {
		w.out = appendString(w.out, inner)
		return
	}
	cleaned := w.layer.mask(s, w.tally)
	if inner, ok := w.nested(cleaned); ok {
		cleaned = inner // masking made it JSON
	}
	w.out = appendString(w.out, cleaned)
}

// nested cleans a string that is JSON itself, if cleaning changes it.
func (w *walker) nested(s string) (string, bool) {
	trimmed := strings.TrimSpace(s)
	if w.inner >= 3 || trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || len(s) > w.layer.max ||
		!json.Valid([]byte(s)) {
		return "", false
	}
	in := &walker{layer: w.layer, in: []byte(s), tally: &tally{}, budget: w.layer.max, inner: w.inner + 1}
	out := in.run()
	if len(in.tally.counts) == 0 || in.full {
		return "", false
	}
	cleaned := w.layer.mask(string(out), &tally{})
	if cleaned != string(out) {
		return "", false // what it looks like as text decides
	}
	w.tally.join(in.tally)
	return cleaned, true
}

// array copies a list; once the budget is spent the rest becomes one notice.
func (w *walker) array(depth int, name keyvalue.KeyKind) {
	w.pos++
	w.out = append(w.out, '[')
	beside := keyvalue.Plain
	for n := 0; ; n++ {
		if w.close(']') {
			return
		}
		if n > 0 {
			w.out = append(w.out, ',')
		}
		if w.full {
			w.out = appendString(w.out, fmt.Sprintf("[truncated: %d more]", w.rest(']')))
			w.out = append(w.out, ']')
			return
		}
		promise, next := max(name, w.beside(beside)), w.pairs()
		beside = next
		w.value(depth+1, promise)
	}
}

// object copies a map. Keys are cleaned; two that become the same are told
// apart by a number.
func (w *walker) object(depth int, name keyvalue.KeyKind) {
	w.pos++
	w.out = append(w.out, '{')
	keys, entry := keySet{}, w.entry()
	for n := 0; ; n++ {
		if w.close('}') {
			return
		}
		if n > 0 {
			w.out = append(w.out, ',')
		}
		if w.full {
			w.out = appendString(w.out, "[truncated]")
			w.out = append(w.out, fmt.Sprintf(`:"%d more"}`, w.rest('}'))...)
			return
		}
		key, start := w.string(), len(w.out)
		cleaned := w.layer.mask(key, w.tally)
		w.out = appendString(w.out, keys.add(key, cleaned))
		w.fit(start)
		w.space()
		w.pos++ // the colon
		w.out = append(w.out, ':')
		promise := inherit(name, cleaned)
		switch {
		case entry == keyvalue.Secret && lex.EqualFold(cleaned, "value"):
			promise = keyvalue.Secret
		case entryValues.Has(cleaned):
			promise = max(promise, w.beside(entry))
		}
		w.value(depth+1, promise)
	}
}

// inherit is what a key promises of its value inside a value of which its own
// name promised outer. A description inside a credential is not one.
func inherit(outer keyvalue.KeyKind, key string) keyvalue.KeyKind {
	own := keyvalue.Plain
	if len(key) <= 80 && !strings.Contains(key, "[REDACTED") {
		own = judgeKey(key)
	}
	if own == keyvalue.Plain && outer == keyvalue.Secret && !about.Has(key) {
		return keyvalue.Secret
	}
	return own
}

// about are keys that describe a credential and hold none.
var about = lex.WordSet("type name id description title format required enabled status kind count " +
	"expires scope scopes created updated version algorithm alg provider username user email host port url uri path " +
	"length limit default minimum maximum properties")

// keySet makes the cleaned keys of one object distinct.
type keySet struct {
	seen    map[string]bool
	before  []string
	changed bool
}

func (k *keySet) add(raw, cleaned string) string {
	if raw == cleaned && !k.changed && !strings.HasPrefix(cleaned, "[REDACTED") {
		k.before = append(k.before, cleaned)
		return cleaned
	}
	if !k.changed {
		k.changed, k.seen = true, map[string]bool{}
		for _, b := range k.before {
			k.seen[b] = true
		}
	}
	key := cleaned
	for n := 2; k.seen[key]; n++ {
		key = fmt.Sprintf("%s#%d", cleaned, n)
	}
	k.seen[key] = true
	return key
}
