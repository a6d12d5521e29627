package safety

import (
	"strings"

	"candor/safety/internal/lex"
)

// maxSentence is how many bytes of a sentence are held back for its end. A longer one is
// returned up to the end of a clause, or else of a word.
const maxSentence = 240

// Sentences is a [Stream] that returns whole sentences, for readers who see a text while
// it is written. What its calls return, joined, is what [Layer.Mask] returns for the whole
// text. A sentence ends with its line, or with a mark in front of a space. It must not be
// used by several goroutines at once.
type Sentences struct {
	stream *Stream
	clean  strings.Builder // all that the stream has returned
	shown  int             // bytes of clean that were returned
}

// Sentences returns a new stream of sentences that cleans with this layer.
func (l *Layer) Sentences() *Sentences { return &Sentences{stream: l.Stream()} }

// Write adds the next piece and returns the sentences that have ended, which may be none.
func (s *Sentences) Write(delta string) Text {
	out := s.stream.Write(delta)
	if out == "" {
		return Text{}
	}
	s.clean.WriteString(out)
	return s.take(sentencesEnd(s.pending()))
}

// Close returns the rest of the text and the report on the whole. The stream must not be
// used afterwards.
func (s *Sentences) Close() (Text, Report) {
	out, report := s.stream.Close()
	s.clean.WriteString(out)
	return s.take(len(s.pending())), report
}

// Blocked reports whether the text so far holds a match that blocks; see [Stream.Blocked].
func (s *Sentences) Blocked() bool { return s.stream.Blocked() }

// SoFar returns the text so far, including the last sentence as far as it is safe to show,
// and the report on it. It never ends within a secret.
func (s *Sentences) SoFar() (Text, Report) {
	return Text{strings.TrimSpace(s.clean.String())}, s.stream.tally.report(s.stream.layer)
}

func (s *Sentences) pending() string { return s.clean.String()[s.shown:] }

// take returns the next n bytes of the cleaned text.
func (s *Sentences) take(n int) Text {
	t := Text{s.pending()[:n]}
	s.shown += n
	return t
}

// sentencesEnd returns the end of the last sentence in text, or of the last clause or word
// that fits if none has ended for long.
func sentencesEnd(text string) int {
	for i := len(text); i > 0; i-- {
		if endsAt(text, i) {
			return i
		}
	}
	if len(text) <= maxSentence {
		return 0
	}
	for _, clause := range []string{"; ", ": ", ", ", " "} {
		if i := strings.LastIndex(text, clause); i >= 0 {
			return i + len(clause)
		}
	}
	return markerStart(text, lex.RuneStart(text, len(text)))
}

// endsAt reports whether a sentence ends with text[:i].
func endsAt(text string, i int) bool {
	switch text[i-1] {
	case '\n':
		return true
	case ' ':
		marked := strings.TrimRight(text[:i-1], "\"')]*_`”’")
		return marked != "" && strings.IndexByte(".!?", marked[len(marked)-1]) >= 0 && !abbreviates(marked)
	}
	return strings.HasSuffix(text[:i], "。") || strings.HasSuffix(text[:i], "！") || strings.HasSuffix(text[:i], "？")
}

// abbreviates reports whether text ends with a letter or digit of its own and a dot, as in
// "e.g." or "1.", which ends no sentence.
func abbreviates(text string) bool {
	n := len(text)
	return n >= 2 && text[n-1] == '.' && lex.Alnum[text[n-2]] && (n == 2 || !lex.Alnum[text[n-3]])
}
