package safety

// Verdict is what cleaning did to a text. The values are ordered by severity.
type Verdict int

const (
	// Passed means that nothing was redacted or blocked. Tokens may still have been
	// neutralised; the findings say so.
	Passed Verdict = iota
	// Redacted means that at least one secret was replaced by its marker.
	Redacted
	// Blocked means that masking cannot make the text safe, or that the policy forbids it.
	Blocked
)

// String returns the verdict in lower case, as reports and logs show it.
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

// Finding is how often a rule matched. It never contains any part of the match.
type Finding struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Report is the result of cleaning a text. Findings are sorted by rule id and contain
// each rule once.
type Report struct {
	Verdict  Verdict
	Findings []Finding
}
