package zz

import (
	"strings"
	"testing"

	"candor/safety"
	"candor/safety/oracle"
)

func Benchmark(b *testing.B) {
	l := safety.NewLayer(safety.MaxBytes(1 << 20))
	for _, c := range oracle.BenchCases() {
		b.Run(strings.ReplaceAll(c.Name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				l.Leaks(c.Text)
			}
		})
	}
	for _, u := range []string{"%2541", "AKIA", "sk-", "pat.", "token=\""} {
		s := strings.Repeat(u, 100000/len(u))
		b.Run("W"+u, func(b *testing.B) {
			for b.Loop() {
				l.Clean(s)
			}
		})
	}
}
