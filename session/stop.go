package session

import (
	"slices"
	"strings"
)

// Stop says why a model stopped where it was neither done nor called tools. It is empty where it was, and where
// nobody said why.
type Stop string

// The stops. What providers call them is in the table of [StopOf].
const (
	StopLength  Stop = "length"  // the limit of tokens of one answer
	StopContext Stop = "context" // the model's window is full
	StopFilter  Stop = "filter"  // a filter of the provider stopped the answer
	StopRefusal Stop = "refusal" // the model refused to answer
	StopPaused  Stop = "paused"  // the provider paused a long answer, which goes on if it is asked to
	StopError   Stop = "error"   // the answer broke off: the provider or the model failed, or it was aborted
	StopNoCall  Stop = "no_call" // it said that it calls tools, and called none
	StopOther   Stop = "other"   // a word that nobody here knows; the word itself is kept nowhere
)

// stopFacts is what is known of a stop: its words for people, what the conventions of OpenTelemetry call it, what
// providers and agents call it, and whether the answer is cut off, so that nothing may run from it.
type stopFacts struct {
	stop          Stop
	words, finish string
	cutOff        bool
	names         string
}

// stops has all stops, in their order. Names are compared without case, and with every other character than letters
// and digits left out.
var stops = []stopFacts{
	{StopLength, "cut off at the model's limit", "length", true,
		"length maxtokens maxoutputtokens maxcompletiontokens maxlength tokenlimit limit incomplete truncated"},
	{StopContext, "cut off: the model's window is full", "length", true,
		"context modelcontextwindowexceeded contextwindowexceeded contextlengthexceeded modellength contextlength"},
	{StopFilter, "the provider's filter stopped it", "content_filter", true,
		"filter contentfilter contentfiltered safety recitation blocklist prohibitedcontent spii sensitive " +
			"imagesafety imageprohibitedcontent imagerecitation guardrailintervened guardrail language blocked"},
	{StopRefusal, "the model refused", "content_filter", true, "refusal refused"},
	{StopPaused, "paused by the provider", "stop", false, "paused pauseturn pause"},
	{StopError, "it broke off with an error", "error", true,
		"error failed failure aborted abort cancelled canceled interrupted networkerror insufficientsystemresource " +
			"servererror malformedfunctioncall malformedresponse malformedtooluse malformedmodeloutput " +
			"unexpectedtoolcall toomanytoolcalls noimage imageother"},
	{StopNoCall, "it said that it calls a tool, and called none", "tool_call", false, "nocall"},
	{StopOther, "stopped for a reason of which nothing more is known", "other", false, "other unknown"},
}

// Stops returns all stops.
func Stops() (all []Stop) {
	for _, facts := range stops {
		all = append(all, facts.stop)
	}
	return all
}

// facts returns what is known of a stop, nothing of an empty one.
func (s Stop) facts() stopFacts {
	at := slices.IndexFunc(stops, func(f stopFacts) bool { return f.stop == s })
	if at < 0 {
		return stopFacts{}
	}
	return stops[at]
}

// usualStops are the names of an end that is none of the stops: the model was done, called tools, or came upon a
// sequence at which it was to stop.
const usualStops = " stop endturn stopsequence stopsequences toolcalls toolcall tooluse tool functioncall completed " +
	"complete finished finish success done end eos eostoken eosreached endoftext stopstring inprogress null none " +
	"unspecified finishreasonunspecified compaction compact "

// CallsTools reports whether a provider's word for the end of an answer says that the model calls tools.
func CallsTools(word string) bool {
	switch plainWord(word) {
	case "toolcalls", "toolcall", "tooluse", "tool", "functioncall":
		return true
	}
	return false
}

// StopOf returns the stop that a provider, an agent or a worker names by any word that is known for it, such as
// "max_tokens" or "MAX_TOKENS". An empty word, and one for an end that is none, give no stop.
func StopOf(word string) Stop {
	if stop := stopNamed(word); stop != StopOther {
		return stop
	}
	// Some servers put the kind of a reason before it.
	parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" .:/,", r) })
	for _, part := range slices.Backward(parts[:min(len(parts), maxStopParts)]) {
		if stop := stopNamed(part); stop != "" && stop != StopOther {
			return stop
		}
	}
	return StopOther
}

// maxStopParts is how many words of a reason are looked at.
const maxStopParts = 8

// stopNamed returns the stop of a word.
func stopNamed(word string) Stop {
	word = plainWord(word)
	for _, prefix := range []string{"finishreason", "stopreason"} {
		if rest := strings.TrimPrefix(word, prefix); rest != "" && rest != "unspecified" {
			word = rest
		}
	}
	if word == "" || strings.Contains(usualStops, " "+word+" ") {
		return ""
	}
	for _, facts := range stops {
		if strings.Contains(" "+facts.names+" ", " "+word+" ") {
			return facts.stop
		}
	}
	return StopOther
}

// plainWord returns a word as the table has it. One that no table can have is cut.
func plainWord(word string) string {
	const longest = 64
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, word[:min(len(word), longest)])
}

// Words says in plain words why the model stopped, "" if there is nothing to say.
func (s Stop) Words() string { return s.facts().words }

// FinishReason returns what the conventions of OpenTelemetry call the stop, "" if there was none.
func (s Stop) FinishReason() string { return s.facts().finish }

// CutOff reports whether the answer is not whole, so that no call of it may run.
func (s Stop) CutOff() bool { return s.facts().cutOff }

// NoAnswer reports whether what the model said is no answer: it or its provider would not give one, or failed.
func (s Stop) NoAnswer() bool { return s == StopFilter || s == StopRefusal || s == StopError }
