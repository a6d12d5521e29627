package terminal

import (
	"fmt"
	"strings"

	"candor/web/client"
)

// sealedWords says how much reasoning of a step only the provider of its model can read.
//
//	sealed reasoning · 1.2 kB · 310 tokens · only the model's provider can read it
func sealedWords(s client.Sealed) string {
	parts := []string{"sealed reasoning"}
	switch {
	case s.Kind == "signature" && s.Bytes > 0:
		parts = append(parts, "left out, with a signature of "+bytesWords(s.Bytes))
	case s.Kind == "signature":
		parts = append(parts, "left out and signed")
	case s.Bytes > 0:
		parts = append(parts, bytesWords(s.Bytes))
	}
	if s.Tokens > 0 {
		parts = append(parts, plural(s.Tokens, "token"))
	}
	return strings.Join(append(parts, "only the model's provider can read it"), " · ")
}

// bytesWords renders a number of bytes as people read it: 356 bytes, 1.2 kB, 3.4 MB.
func bytesWords(n int) string {
	switch {
	case n < 1000:
		return plural(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}

// sealed renders what was sealed of an agent's step as lines of their own, "" for nothing.
func (s Style) sealed(agent string, what *client.Sealed) string {
	if what == nil {
		return ""
	}
	words := sealedWords(*what)
	if agent != "" {
		words = fit(CleanLine(agent), 32) + ": " + words
	}
	return "\n" + s.inkLines("  ", 2, 2, dim, words) + "\n"
}

// sealedEvent is sealed for an event of a thread.
func (s Style) sealedEvent(e client.Event) string {
	return s.sealed(e.Agent, &client.Sealed{Kind: e.Kind, Bytes: e.Bytes, Tokens: e.Tokens})
}

// sealedAnswer renders what was sealed of the reasoning behind the answer of a turn.
func (s Style) sealedAnswer(t client.Turn) string {
	for _, one := range t.Sealed {
		if one.Answer && one.Agent == "" {
			return strings.TrimLeft(s.sealed("", &one.Sealed), "\n")
		}
	}
	return ""
}
