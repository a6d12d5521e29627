package safety

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"candor/safety/internal/lex"
)

// This file reads back what a person made of a question. What they change is what Question shows, in
// which four things stand for others:
//
//   - a mask, such as [REDACTED:github-pat], stands for a secret;
//   - an escape, such as [U+200B], stands for a character that nobody sees;
//   - [U+005B] stands for a bracket that would begin one of the two;
//   - a string stands for a number that JavaScript would round.
//
// Both values are read into trees, and the wanted one is written with the raw arguments beside it. What
// was not changed is copied from these byte by byte. Of a text that was changed, the parts between its
// masks are read back, and the secrets are put between them.
//
// A mask is tied to its place, because a person who moves one moves a secret that they cannot see: into
// another member it might be sent to somebody, and behind other words it might be run. A list may become
// longer or shorter, which moves what stands behind the change; its ends are therefore matched by their
// contents. Where two secrets have the same mask, a change may leave open which of them a mask means: then
// it is refused, since the other secret might go where the person never sent it.
//
// Nothing here decides whether the result may run: the caller asks Question about it again, which finds a
// secret that is no longer inert where it is.

// errMask is the error of a mask in edited arguments that stands for nothing.
var errMask = errors.New("it has a mask, such as [REDACTED:…], where none was. " +
	"A mask stands for its secret only where it stood: leave it there with all others of its text, or take it out")

// errWhich is the error of a mask in edited arguments that may stand for one of several secrets.
var errWhich = errors.New("several secrets have the same mask here, and after this change nobody can tell which " +
	"of them it means. Leave these masks and what stands between them as they were, or take all of them out")

// Edit returns the arguments that a person means who was asked about a call and changed what
// [Layer.Question] shows of it. A secret whose mask is where it was stays what it is; a text with
// several masks keeps all of them or none, and so does a list where one mask stands for several secrets
// that look the same. A text that was not changed stays what it was to the byte, also where it has
// characters that nobody sees. Their escapes are read back in one that was.
//
// Edit fails where Question does, and if wanted is no JSON or has a mask that stands for nothing, or of
// which nobody can tell what it stands for. The error completes "It cannot be changed so:". Whether the
// result may be shown and run is for the caller to find out.
func (l *Layer) Edit(arguments, wanted json.RawMessage) (json.RawMessage, error) {
	asked, leaves, err := l.question(arguments)
	if err != nil {
		return nil, err
	}
	if err := checkArguments(wanted); err != nil {
		return nil, err
	}
	was, err := (&treeReader{walker{in: asked.Shown.Raw()}, leaves}).read(0)
	if err != nil {
		return nil, err
	}
	now, err := (&treeReader{walker: walker{in: wanted}}).read(0)
	if err != nil {
		return nil, err
	}
	w := &treeWriter{}
	w.write(now, was)
	return w.out, w.err
}

// treeWriter writes the arguments that edited ones mean. Its first error stays.
type treeWriter struct {
	out []byte
	err error
}

// write appends a value, given what was shown in its place; nil if nothing was.
func (w *treeWriter) write(t, was *tree) {
	switch t.kind {
	case '{':
		w.list('{', t, func(i int) {
			if strings.Contains(t.names[i], lex.MarkerPrefix) {
				w.fail(errMask)
			}
			w.out = append(appendString(w.out, t.names[i]), ':')
			w.write(t.parts[i], was.member(t.names[i]))
		})
	case '[':
		beside := t.beside(was)
		if t.isUnclear(was, beside) {
			w.fail(errWhich)
		}
		w.list('[', t, func(i int) { w.write(t.parts[i], beside[i]) })
	case '"':
		w.text(t.text, was)
	default:
		w.out = append(w.out, t.text...)
	}
}

// fail keeps the first error.
func (w *treeWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// list appends the parts of an object or a list with what stands around and between them.
func (w *treeWriter) list(kind byte, t *tree, part func(i int)) {
	w.out = append(w.out, kind)
	for i := range t.parts {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		part(i)
	}
	w.out = append(w.out, kind+2)
}

// text appends a string. A long number is shown as a string, and is a number again.
func (w *treeWriter) text(s string, was *tree) {
	if was == nil || was.before == nil || was.kind != '"' {
		w.plain(s)
		return
	}
	before := was.before
	parts, masks := splitMasks(s)
	wasParts, asked := splitMasks(was.text)
	switch {
	case s == was.text:
		w.out = append(w.out, before.literal...)
	case before.literal[0] != '"' && isNumber(s):
		w.out = append(w.out, s...)
	case len(masks) == 0:
		w.plain(s)
	case !slices.Equal(masks, asked) || len(before.hidden) != len(masks):
		w.fail(errMask)
	case len(was.unclearMasks()) > 0 && !slices.Equal(between(parts), between(wasParts)):
		w.fail(errWhich)
	default:
		var b strings.Builder
		for i, part := range parts {
			b.WriteString(unescape(part))
			if i < len(masks) {
				b.WriteString(before.text[before.hidden[i].From:before.hidden[i].To])
			}
		}
		w.out = appendString(w.out, b.String())
	}
}

// plain appends a string in which nothing may be masked.
func (w *treeWriter) plain(s string) {
	if strings.Contains(s, lex.MarkerPrefix) {
		w.fail(errMask)
	}
	w.out = appendString(w.out, unescape(s))
}

// isNumber reports whether a text is a number of JSON.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || lex.Digits[s[0]]) && lex.Digits[s[len(s)-1]] && json.Valid([]byte(s))
}

// splitMasks returns the masks of a text, and the parts before, between and behind them.
func splitMasks(s string) (parts, masks []string) {
	for {
		before, rest, found := strings.Cut(s, lex.MarkerPrefix)
		rule, behind, closed := strings.Cut(rest, "]")
		if !found || !closed {
			return append(parts, s), masks
		}
		parts, masks = append(parts, before), append(masks, lex.MarkerPrefix+rule+"]")
		s = behind
	}
}

// between returns the parts of a text that stand between two masks.
func between(parts []string) []string { return parts[1 : len(parts)-1] }

// escapes finds what escapeUnseen writes.
var escapes = regexp.MustCompile(`\[U\+[0-9A-F]{4,6}\]`)

// unescape is the reverse of escapeUnseen. An escape of a character that needs none is a text.
func unescape(s string) string {
	return escapes.ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseInt(e[len("[U+"):len(e)-1], 16, 32)
		if r := rune(n); err == nil && (r == '[' || mustEscape(r)) {
			return string(r)
		}
		return e
	})
}
