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
	// maxDepth is how deep objects and lists may nest; what is deeper becomes tooDeep.
	maxDepth = 64
	tooDeep  = "[truncated: nested too deep]"
	// closing is the space reserved for notices and closing brackets when a value is cut.
	closing = maxDepth * 32
)

// CleanJSON cleans the keys and strings of a JSON value. A value is masked if its content
// is a secret or if its key names one. Order, numbers and booleans stay as written, except
// that numbers under a secret's name are masked too. Matches that block are masked. The
// result is always valid JSON, of about [MaxBytes] at most; input that is not valid JSON
// becomes one string.
func (l *Layer) CleanJSON(raw json.RawMessage) (JSON, Report) {
	t := tally{collects: l.seen == nil}
	version := l.version()
	out := l.walk(raw, &t)
	if len(t.values) > 0 { // the layer has no memory, so the value gets one of its own
		m := NewSeenSecrets()
		m.values.Add(t.values)
		l = l.Remember(m)
	} else if l.version() == version {
		return JSON{exact(out)}, t.report(l)
	}
	t = tally{} // clean what stands before a name, too
	return JSON{exact(l.walk(raw, &t))}, t.report(l)
}

// walk cleans a JSON value once and counts the findings in t.
func (l *Layer) walk(raw json.RawMessage, t *tally) []byte {
	if !json.Valid(raw) {
		w := &walker{layer: l, tally: t, budget: l.max}
		w.text(string(raw), keyvalue.Plain)
		return w.out
	}
	w := &walker{layer: l, in: raw, tally: t, budget: max(l.max, 4*closing)}
	out := w.run()
	if w.full {
		*t = tally{values: t.values, collects: t.collects}
		w.budget -= closing
		out = w.run()
	}
	return out
}

// walker copies a valid JSON value from in to out and cleans it on the way. Because in is
// valid, it needs no checks for the end of the input inside a value.
type walker struct {
	layer  *Layer
	in     []byte
	pos    int
	out    []byte
	tally  *tally
	budget int
	full   bool // the budget is spent
	inner  int  // how many JSON strings contain this value
}

// run copies the whole value, from its start, and returns the output.
func (w *walker) run() []byte {
	w.pos, w.full, w.out = 0, false, make([]byte, 0, min(len(w.in), w.budget)+64)
	w.value(0, keyvalue.Plain)
	return w.out
}

// space skips white space.
func (w *walker) space() {
	for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n"), w.in[w.pos]) >= 0 {
		w.pos++
	}
}

// fit replaces the output written since start by a notice if the output exceeds the
// budget.
func (w *walker) fit(start int) {
	if len(w.out) > w.budget {
		w.full = true
		w.out = appendString(w.out[:start], fmt.Sprintf("[truncated: %d bytes]", len(w.out)-start))
	}
}

// value copies the next value. name is the kind of the key it belongs to.
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

// scalar copies a number, a boolean or null. Under a secret's name, numbers of three or
// more characters are masked; booleans and null reveal nothing.
func (w *walker) scalar(name keyvalue.KeyKind) {
	start := w.pos
	for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n,]}"), w.in[w.pos]) < 0 {
		w.pos++
	}
	lit := w.in[start:w.pos]
	if name == keyvalue.Secret && (lit[0] == '-' || lex.Digits[lit[0]]) && len(lit) >= 3 && w.mask("") {
		return
	}
	w.out = append(w.out, lit...)
}

// mask counts a finding of the rule secret-field, remembers its value and writes the marker.
// It writes nothing and returns false if the policy leaves such values in the text.
func (w *walker) mask(value string) bool {
	r := &w.layer.detector.Rules[w.layer.field]
	w.tally.add(w.layer.field, r.Action())
	if !edited(r) {
		return false
	}
	w.layer.remember(value, w.tally)
	w.out = append(w.out, `"[REDACTED:`+r.ID+`]"`...)
	return true
}

// text writes a string: masked if its key names a secret, else cleaned. A weak name, such
// as key or hash, counts only if the string looks random.
func (w *walker) text(s string, name keyvalue.KeyKind) {
	if (name == keyvalue.Secret && !standIn(s) || name == keyvalue.Weak && lex.Random(s)) && w.mask(s) {
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

// nested cleans a string that contains JSON, up to three levels deep. It returns false if
// s is not JSON, or if cleaning it as plain text is as good or better.
func (w *walker) nested(s string) (string, bool) {
	trimmed := strings.TrimSpace(s)
	if w.inner >= 3 || trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || len(s) > w.layer.max ||
		!json.Valid([]byte(s)) {
		return "", false
	}
	in := &walker{
		layer: w.layer, in: []byte(s), tally: &tally{collects: w.tally.collects}, budget: w.layer.max,
		inner: w.inner + 1,
	}
	out := in.run()
	w.tally.remember(in.tally.values)
	if len(in.tally.counts) == 0 || in.full {
		return "", false
	}
	cleaned := w.layer.mask(string(out), &tally{})
	if cleaned != string(out) {
		return "", false // the text around the values contains secrets too
	}
	in.tally.values = nil // w has them
	w.tally.join(in.tally)
	return cleaned, true
}

// array copies a list. A string that names a secret makes the string after it one, as in
// ["--password", "..."]. Once the budget is spent, the rest becomes one notice.
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

// object copies an object. Its keys are cleaned too; keys that become equal get numbers.
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

// inherit returns the kind of a key inside a value whose own key has the kind outer.
// Everything inside a secret is secret, except for fields that describe it.
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

// about holds keys that describe a credential and contain none.
var about = lex.WordSet("type name id description title format required enabled status kind count " +
	"expires scope scopes created updated version algorithm alg provider username user email host port url uri path " +
	"length limit default minimum maximum properties")

// keySet makes the cleaned keys of one object distinct. It builds its map only after the
// first key that cleaning changed.
type keySet struct {
	seen    map[string]bool
	before  []string
	changed bool
}

// add returns the key to write for cleaned: itself, or with a number if it is taken.
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
