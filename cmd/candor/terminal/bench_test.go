package terminal

import (
	"strings"
	"testing"

	"candor/web/client"
)

// BenchmarkClean cleans a megabyte on one line, on many lines, and full of sequences.
func BenchmarkClean(b *testing.B) {
	for name, text := range map[string]string{
		"one line":   strings.Repeat("x", 1<<20),
		"many lines": strings.Repeat("a line of some words\n", 1<<20/21),
		"sequences":  strings.Repeat("\x1b[31mred", 1<<20/8),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Clean(text)
			}
		})
	}
}

// BenchmarkBlock renders the reasoning of a turn with ten calls.
func BenchmarkBlock(b *testing.B) {
	t := client.Turn{Number: 1, Reasoning: &client.Reasoning{
		Narrative: "These lookups do not depend on each other, so I make them together.",
	}}
	for range 10 {
		t.Reasoning.Decisions = append(t.Reasoning.Decisions, client.Decision{ToolName: "table_size",
			Rationale: "a large table makes the scan slow, which would explain it",
			Source:    "model", Outcome: "success", Parameters: []byte(`{"table":"sessions","shard":7,"limit":50}`)})
	}
	for b.Loop() {
		Style{Color: true, Width: 80}.Block(t)
	}
}
