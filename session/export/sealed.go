package export

import (
	"fmt"
	"strings"

	"candor/session"
)

// sealed says how much of a step's reasoning only the provider of its model can read, "" if there was none.
func sealed(s session.Sealed) string {
	if !s.Known() {
		return ""
	}
	what, size := "encrypted", plural(s.Bytes, "byte")
	if s.Kind == session.SealSignature {
		what, size = "left out and signed", fmt.Sprintf("a signature of %s", size)
	}
	parts := []string{what}
	if s.Bytes > 0 {
		parts = append(parts, size)
	}
	if s.Tokens > 0 {
		parts = append(parts, plural(s.Tokens, "token"))
	}
	return "Sealed reasoning (" + strings.Join(parts, ", ") + "): only the model's provider can read it."
}
