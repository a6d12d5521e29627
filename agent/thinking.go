package agent

import (
	"regexp"
	"strings"
)

// stripThinking takes private reasoning out of what a model said: thinking tags
// in the spellings models use, harmony channels, tool markup in text. Tags inside
// code stay, since they are what the text is about. What a model left unclosed is
// dropped to the end: showing too little beats showing what was not meant to be.
func stripThinking(text string) string {
	if strings.ContainsAny(text, "<[&") {
		text = finalChannel(text)
		text = stripTags(text, tagsOutsideCode(text))
		text = calledTool.ReplaceAllString(text, "")
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(text, "\n\n"))
}

var (
	blankLines = regexp.MustCompile(`\n{3,}`)
	calledTool = regexp.MustCompile("\\[Called tool `[^`\\]]*`[^\\]]*\\]")
	channel    = regexp.MustCompile(`<\|channel\|>\s*([a-z]+)[^<]*(?:<\|[a-z]+\|>[^<]*)??<\|message\|>`)
	channelEnd = regexp.MustCompile(`<\|(?:end|return|call|start|channel)\|>`)
)

// finalChannel keeps, of a text in channels, what was said in the final one and
// before the first. A text without channels comes back as it is.
func finalChannel(text string) string {
	heads := channel.FindAllStringSubmatchIndex(text, -1)
	if heads == nil {
		return text
	}
	before, _, _ := strings.Cut(text[:heads[0][0]], "<|start|>")
	kept := []string{before}
	for i, h := range heads {
		if text[h[2]:h[3]] != "final" {
			continue
		}
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		body := text[h[1]:end]
		if at := channelEnd.FindStringIndex(body); at != nil {
			body = body[:at[0]]
		}
		kept = append(kept, body)
	}
	return strings.Join(kept, "")
}

// stripTags walks the tags once and keeps what stands outside of thoughts and
// tool markup. If the text has a <final> block, only final blocks survive.
func stripTags(text string, tags []tag) string {
	w := stripper{text: text}
	for _, t := range tags {
		w.meet(t)
	}
	return w.finish()
}

// stripper is the walk's state.
type stripper struct {
	text    string
	kept    strings.Builder // outside of everything
	final   strings.Builder // in final blocks
	drafts  strings.Builder // in final blocks inside the thought that is open now
	pos     int             // text up to here is dealt with
	inside  family          // of the block that is open, or none
	inFinal bool
	seen    bool // a thought was opened or closed already
	isFinal bool // there was a final block outside of thoughts
}

func (w *stripper) meet(t tag) {
	switch {
	case t.family == finalAnswer:
		w.meetFinal(t)
	case w.inside == toolMarkup && t.family != toolMarkup:
		// Whatever stands in a tool call is an argument of it.
	case !t.close && w.inside == none:
		w.take(t.start)
		w.inside, w.pos = t.family, t.end
		w.seen = w.seen || t.family == thought
	case t.close && w.inside == t.family:
		w.inside, w.pos, w.inFinal = none, t.end, false
		w.drafts.Reset()
	case t.close && w.inside == none:
		w.stray(t)
	}
}

// stray is a closing tag that nothing opened. Before the first thought it means
// that the provider ate the opening tag, so what stands before it is the thought.
func (w *stripper) stray(t tag) {
	if t.family == thought && !w.seen {
		w.kept.Reset()
		w.seen = true
	} else {
		w.take(t.start)
	}
	w.pos = t.end
}

func (w *stripper) meetFinal(t tag) {
	if w.inside == toolMarkup {
		return
	}
	if w.inside == none || w.inFinal {
		w.take(t.start)
	}
	w.inFinal, w.pos = !t.close, t.end
	if w.inside == none && !t.close {
		w.isFinal = true
	}
}

// take moves the text up to end to where it belongs.
func (w *stripper) take(end int) {
	if end < w.pos {
		return
	}
	part := w.text[w.pos:end]
	switch {
	case w.inFinal && w.inside == thought:
		w.drafts.WriteString(part)
	case w.inFinal:
		w.final.WriteString(part)
	case w.inside == none:
		w.kept.WriteString(part)
	}
}

func (w *stripper) finish() string {
	if w.inside == none || w.inFinal {
		w.take(len(w.text))
	}
	switch {
	case w.isFinal:
		return w.final.String()
	case w.inside == thought && w.drafts.Len() > 0:
		// The thought was never closed, so its final block was the answer.
		return w.drafts.String()
	}
	return w.kept.String()
}
