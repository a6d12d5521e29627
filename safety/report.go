package safety

// Verdict says what cleaning did to a text. Order is severity.
type Verdict int

const (
	// Passed: nothing was redacted or blocked. Characters may still have been
	// neutralised, which findings say.
	Passed Verdict = iota
	// Redacted: at least one secret was replaced by its marker.
	Redacted
	// Blocked: the text cannot be made safe by masking, or a policy forbids it.
	Blocked
)

// String is the verdict in lower case.
func (v Verdict) String() string {
	switch v {
	case Passed:
		return "passed"
	case Redacted:
		return "redacted"
	default:
		return "blocked"
	}
}

// Finding says how often a rule fired. It never carries any part of the value.
type Finding struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Report is what cleaning found, findings in the order of their rule ids.
type Report struct {
	Verdict  Verdict
	Findings []Finding
}
