package export

import (
	"fmt"

	"candor/safety"
)

// redactions lists the rules that masked or withheld something with their counts, as in
// "aws-key ×2". A count of one is left out. Findings are sorted by rule.
func redactions(findings []safety.Finding) []string {
	var list []string
	for i := 0; i < len(findings); {
		rule, count := findings[i].Rule, 0
		for ; i < len(findings) && findings[i].Rule == rule; i++ {
			if findings[i].Effect.Hides() {
				count += findings[i].Count
			}
		}
		if count > 0 {
			list = append(list, times(rule, count))
		}
	}
	return list
}

// notices lists the rules whose matches were left readable with their counts, severities
// and, unless the text stayed as it was, what was done.
func notices(findings []safety.Finding) []string {
	var list []string
	for _, f := range findings {
		switch f.Effect {
		case safety.Noticed:
			list = append(list, fmt.Sprintf("%s (%s)", times(f.Rule, f.Count), f.Severity))
		case safety.Neutralised:
			list = append(list, fmt.Sprintf("%s (%s, neutralised)", times(f.Rule, f.Count), f.Severity))
		}
	}
	return list
}

// times returns a rule with its count, without a count of one.
func times(rule string, count int) string {
	if count == 1 {
		return rule
	}
	return fmt.Sprintf("%s ×%d", rule, count)
}
