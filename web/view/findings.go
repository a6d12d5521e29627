package view

import (
	"slices"

	"candor/safety"
)

// Redaction counts what a rule masked or withheld.
type Redaction struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Notice counts what a rule saw and left readable: as it was, or neutralised by a visible
// escape. For the rule invisible-text these are invisible characters, which were removed.
type Notice struct {
	Rule     string          `json:"rule"`
	Count    int             `json:"count"`
	Severity safety.Severity `json:"severity"`
}

// redactions lists what was masked or withheld, one entry a rule in the order of findings,
// which are sorted by rule. It is nil if there is none.
func redactions(findings []safety.Finding) []Redaction {
	var list []Redaction
	for _, f := range findings {
		switch last := len(list) - 1; {
		case !f.Effect.Hides():
		case last >= 0 && list[last].Rule == f.Rule:
			list[last].Count += f.Count
		default:
			list = append(list, Redaction{f.Rule, f.Count})
		}
	}
	return list
}

// notices lists what was seen and left, one entry a rule in the order of findings. It is nil
// if there is none.
func notices(findings []safety.Finding) []Notice {
	var list []Notice
	for _, f := range findings {
		switch last := len(list) - 1; {
		case f.Effect.Hides():
		case last >= 0 && list[last].Rule == f.Rule:
			list[last].Count += f.Count
		default:
			list = append(list, Notice{f.Rule, f.Count, f.Severity})
		}
	}
	return list
}

// redacted reports whether anything was masked or withheld.
func redacted(findings []safety.Finding) bool {
	return slices.ContainsFunc(findings, func(f safety.Finding) bool { return f.Effect.Hides() })
}
