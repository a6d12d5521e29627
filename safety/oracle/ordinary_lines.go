package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// OrdinaryLines returns n fillings of each ordinary line that mentions keys and holds
// none.
func OrdinaryLines(n int) []string { return fillings(templates(ordinary), n, rand.NewPCG(7, 8)) }

// AgentNotes returns n notes of an agent about what it read. Each quotes two to five
// ordinary lines in prose, lists or blocks of code.
func AgentNotes(n int) []string {
	rng := rand.New(rand.NewPCG(9, 10))
	lines := templates(ordinary)
	var out []string
	for range n {
		var b strings.Builder
		for range 2 + rng.IntN(4) {
			line := draw(rng, lines[rng.IntN(len(lines))])
			frame := []string{"I read `%s` there. ", "The line says: %s\n", "> %s\n", "```\n%s\n```\n", "Next: %s\n",
				"1. %s\n2. run the tests\n", "In the log stands (%s), which is as expected. "}
			fmt.Fprintf(&b, frame[rng.IntN(len(frame))], line)
		}
		out = append(out, b.String())
	}
	return out
}
