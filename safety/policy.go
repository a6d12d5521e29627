package safety

// Action is what a policy does about a text that a rule matched.
type Action uint8

const (
	// Redact masks the match. It is the action of every leak rule that names no
	// other.
	Redact Action = iota
	// Block withholds the whole text in Clean, and masks the match in Mask.
	Block
	// Warn leaves the text and reports a finding.
	Warn
	// Review is a Warn that asks for a person's look.
	Review
	// Sanitize neutralises the match with a visible escape.
	Sanitize
)

// policyRules are the defaults. An honest rationale names sensitive paths and
// commands all the time, so these report and leave the sentence alone.
func policyRules() []rule {
	return []rule{
		phrases("sensitive-path", Warn, "/etc/passwd", "/etc/shadow", ".ssh/", ".aws/credentials", ".kube/config", ".netrc", ".npmrc", ".pypirc"),
		phrases("destructive-sql", Warn, "drop table", "delete from", "truncate table"),
		phrases("shell-injection", Review, "; rm -rf", "&& rm -rf", "| sh", "|sh", "| bash", "|bash"),
		phrases("encoded-exploit", Review, "base64_decode(", "eval(base64", "eval(atob", "atob("),
	}
}

// phrases is a policy rule: any of the literals, in either case.
func phrases(id string, action Action, literals ...string) rule {
	return rule{id: id, tier: tierFlag, action: action, fold: true, anchors: literals, hits: literals,
		find: func(s string, at, end int) (int, int) {
			if end < len(s) && letter(s[end]) && letter(s[end-1]) {
				return 0, 0
			}
			return at, end
		}}
}
