// Package thinking removes a model's private reasoning from its text, before the text is
// cleaned and stored.
//
// Models mark their private reasoning in many ways: with tags such as <think>, and with
// Harmony's channels. [Strip] recognizes them all. The agent loop strips each narrative,
// rationale and answer with it, and the job API strips the posts of workers, so that both
// store the same text for the same words.
//
// # How a text flows
//
// Strip first reduces Harmony's format to its final channel (thinking.go). Then it finds
// the tags that stand outside of Markdown code (tags.go) and walks over them: text
// outside of all blocks is kept, thoughts are dropped, and if there is a <final> block, only
// that is kept.
//
// Models also write tool calls as text where their server does not read them. [Calls] finds
// these in the dialects of written.go.
//
// A [Filter] does the same for a text that arrives in pieces (filter.go). It returns what
// no further piece can change, so that readers see a text while it is written, but never
// the thought with which it begins.
//
// # Guarantees
//
// Run time is linear in the length of the text, also for hostile text. The result is
// never longer than the text. Stripping finds no secrets: package safety does that, and
// it runs afterwards.
//
// To support another spelling, add its name to families in tags.go.
package thinking

import (
	"regexp"
	"strings"
)

// Strip returns a model's text without its private reasoning. It removes thinking tags in
// the spellings that models use, and all Harmony channels but the final one. Tool calls
// written as text stay: nobody made them otherwise, and [Calls] finds them. Tags within
// Markdown code stay, since there they are the subject of the text. A block that the model
// left open is removed to the end of the text: showing too little is better than showing
// thoughts. Its run time is linear in len(text).
func Strip(text string) string {
	if strings.ContainsAny(text, "<[&") {
		text = finalChannel(text)
		text = stripTags(text, tagsOutsideCode(text))
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(text, "\n\n"))
}

var (
	blankLines = regexp.MustCompile(`\n{3,}`)
	channel    = regexp.MustCompile(`<\|channel\|>\s*([a-z]+)[^<]*(?:<\|[a-z]+\|>[^<]*)??<\|message\|>`)
	channelEnd = regexp.MustCompile(`<\|(?:end|return|call|start|channel)\|>`)
)

// finalChannel reduces text in Harmony's channel format to the final channel and what
// precedes the first channel. It returns text without channels unchanged.
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

// stripTags returns the text outside of thoughts. If there is a <final>
// block, it returns only the final blocks.
func stripTags(text string, tags []tag) string {
	w := stripper{text: text}
	for _, t := range tags {
		w.visit(t)
	}
	return w.finish()
}

// stripper is the state of a walk over the tags of a text.
type stripper struct {
	text    string
	kept    strings.Builder // text outside of all blocks
	final   strings.Builder // text of final blocks
	drafts  strings.Builder // text of final blocks within the thought that is open now
	pos     int             // text[:pos] has been sorted
	inside  family          // the open block, or noFamily
	inFinal bool            // a final block is open
	seen    bool            // a thought was opened or closed before
	isFinal bool            // there was a final block outside of thoughts
}

// visit sorts the text before a tag and updates the state.
func (w *stripper) visit(t tag) {
	switch {
	case t.family == finalAnswer:
		w.visitFinal(t)
	case !t.close && w.inside == noFamily:
		w.take(t.start)
		w.inside, w.pos = t.family, t.end
		w.seen = w.seen || t.family == thought
	case t.close && w.inside == t.family:
		w.inside, w.pos, w.inFinal = noFamily, t.end, false
		w.drafts.Reset()
	case t.close && w.inside == noFamily:
		w.stray(t)
	}
}

// stray handles a closing tag without an opening one. If it closes the first thought,
// the provider has removed the opening tag, so all the text before it is the thought.
func (w *stripper) stray(t tag) {
	if t.family == thought && !w.seen {
		w.kept.Reset()
		w.seen = true
	} else {
		w.take(t.start)
	}
	w.pos = t.end
}

// visitFinal handles the tags of final blocks, which may appear within a thought.
func (w *stripper) visitFinal(t tag) {
	if w.inside == noFamily || w.inFinal {
		w.take(t.start)
	}
	w.inFinal, w.pos = !t.close, t.end
	if w.inside == noFamily && !t.close {
		w.isFinal = true
	}
}

// take adds text[pos:end] to the builder of the block it is in, or drops it. It does not
// move pos.
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
	case w.inside == noFamily:
		w.kept.WriteString(part)
	}
}

// finish sorts the text after the last tag and returns the text without its thoughts.
func (w *stripper) finish() string {
	if w.inside == noFamily || w.inFinal {
		w.take(len(w.text))
	}
	switch {
	case w.isFinal:
		return w.final.String()
	case w.inside == thought && w.drafts.Len() > 0:
		// The thought was never closed, so its final block is the answer.
		return w.drafts.String()
	}
	return w.kept.String()
}
