package session

// SealKind says in which form reasoning came that only its provider can read.
type SealKind string

// The forms of sealed reasoning.
const (
	SealEncrypted SealKind = "encrypted" // the reasoning itself, encrypted
	SealSignature SealKind = "signature" // a signature in the place of the reasoning
)

// Sealed is how much of a step's reasoning only the provider of its model can read. It has the size, and
// never the content. The zero value says that there was none.
type Sealed struct {
	Kind   SealKind // SealEncrypted if the reasoning came in both forms
	Bytes  int      // as they came from the provider; 0 if nobody counted them
	Tokens int      // that the model spent on reasoning in the step, readable or not; 0 if nobody counted them
}

// Known reports whether there was sealed reasoning.
func (s Sealed) Known() bool { return s.Kind != "" }

// Encrypted adds n bytes of encrypted reasoning.
func (s Sealed) Encrypted(n int) Sealed { return s.add(SealEncrypted, n) }

// Signed adds n bytes of signatures that came without the reasoning they belong to.
func (s Sealed) Signed(n int) Sealed { return s.add(SealSignature, n) }

// add adds n bytes of a kind. Nothing is added where there are no bytes.
func (s Sealed) add(kind SealKind, n int) Sealed {
	if n <= 0 {
		return s
	}
	if s.Kind != SealEncrypted {
		s.Kind = kind
	}
	s.Bytes += n
	return s
}

// or returns s, or t if s says that there was none.
func (s Sealed) or(t Sealed) Sealed {
	if s.Known() {
		return s
	}
	return t
}
