package agent

import "candor/session"

// Sealed is how much reasoning of an answer only its provider can read.
type Sealed = session.Sealed

// Opaque reasoning never reaches the log: it may be a model's raw thoughts. That there was reasoning nobody
// but the provider can read does, with its kind and its size, since a step without a word of
// reasoning would else look as if its model had not thought at all. Raw thoughts that came as text are not
// sealed.

// sealed returns what is recorded of a response's sealed reasoning.
func sealed(resp Response) session.Sealed {
	s := resp.Sealed
	if s.Known() {
		s.Tokens = max(0, resp.Usage.Reasoning)
	}
	return s
}
