package jobs

import (
	"net/http"

	"candor/session"
	"candor/web/problem"
)

// maxSealed bounds the bytes and the tokens of sealed reasoning that a worker may report for a step.
const maxSealed = 1 << 30

// sealed returns what the worker says of reasoning that only its model's provider can read. What it is
// is never posted: "sealed" has a kind and two counts, so it holds no text of anybody.
func (p *post) sealed() (session.Sealed, *problem.Problem) {
	s := p.Sealed
	if s == nil {
		return session.Sealed{}, nil
	}
	kind := session.SealKind(s.Kind)
	switch {
	case kind != session.SealEncrypted && kind != session.SealSignature:
		return session.Sealed{}, problem.New(http.StatusBadRequest, "bad_sealed",
			"kind of sealed has to be encrypted or signature.")
	case min(s.Bytes, s.Tokens) < 0, max(s.Bytes, s.Tokens) > maxSealed:
		return session.Sealed{}, problem.New(http.StatusBadRequest, "bad_sealed",
			"bytes and tokens of sealed have to be from 0 to 1073741824.")
	}
	return session.Sealed{Kind: kind, Bytes: s.Bytes, Tokens: s.Tokens}, nil
}
