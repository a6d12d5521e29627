package safety

import (
	"sync"
	"testing"

	"candor/safety/internal/rule"
	"candor/safety/internal/ruletest"
)

func fill(template string, seed uint64) string { return ruletest.Fill(template, seed) }

func hitOf(r *rule.Rule, template string, seed uint64) string { return ruletest.Hit(r, template, seed) }

func leaked(out, secret string, n int) bool { return ruletest.Leaked(out, secret, n) }

// seeds are every rule's hits and misses, alone and inside other text.
func seeds() []string { return ruletest.Seeds(plainLayer().detector.Rules) }

// plainLayer returns the default layer. Tests share it, since a layer is immutable and compiling its
// rules takes long with the race detector.
var plainLayer = sync.OnceValue(func() *Layer { return NewLayer() })

// eachRule runs f for every rule of the default layer.
func eachRule(t *testing.T, f func(t *testing.T, l *Layer, r *rule.Rule)) {
	l := plainLayer()
	for i := range l.detector.Rules {
		r := &l.detector.Rules[i]
		t.Run(r.ID, func(t *testing.T) { f(t, l, r) })
	}
}
