package safety

import (
	"encoding/json"
	"fmt"
	"io"

	"candor/safety/internal/injection"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
	"candor/safety/internal/secrets"
)

// Action is what the layer does with a match. In a policy file it is the lower-case name,
// such as "redact".
type Action = rule.Action

// The actions a rule may have.
const (
	Redact   = rule.Redact   // mask the match; the default for credentials
	Block    = rule.Block    // withhold the whole text in Clean, and mask the match in Mask
	Warn     = rule.Warn     // leave the text and report a finding
	Review   = rule.Review   // like Warn; the finding asks a person to look
	Sanitize = rule.Sanitize // neutralise the match with a visible escape
)

// Policy is what an operator may change about the rules. Its JSON form is the policy
// file, which [ReadPolicy] reads.
type Policy struct {
	// Rules replace all rules of [DefaultPolicy].
	Rules []PhraseRule `json:"rules"`
	// Actions override the actions of rules, by rule id.
	Actions map[string]Action `json:"actions,omitempty"`
	// Tokens add formats of credentials.
	Tokens []TokenRule `json:"tokens,omitempty"`
}

// PhraseRule matches any of its phrases, ignoring case. A phrase that ends in a letter
// does not match the beginning of a longer word. Phrases have three bytes or more.
type PhraseRule struct {
	ID      string   `json:"id"`
	Action  Action   `json:"action"`
	Phrases []string `json:"phrases"`
}

// TokenRule matches tokens of the given formats: acme_{a32} is acme_ followed by 32
// letters or digits. The classes are a (letters and digits), l (lower case and digits),
// u (upper case and digits), d (digits), x (hex), k (letters, digits, _ and -) and
// b (base64); the lengths are {a32}, {a20-40} and {a20+}. A format starts with a literal
// prefix. With Beside it needs none, and matches only next to that name.
type TokenRule struct {
	ID      string   `json:"id"`
	Formats []string `json:"formats"`
	Beside  string   `json:"beside,omitempty"`
}

// DefaultPolicy returns the policy of a layer without [WithPolicy]. Its rules only
// report, because honest reasons mention sensitive paths and commands all the time.
func DefaultPolicy() Policy {
	return Policy{Rules: []PhraseRule{
		{"sensitive-path", Warn, []string{"/etc/passwd", "/etc/shadow", ".ssh/", ".aws/credentials", ".kube/config",
			".netrc", ".npmrc", ".pypirc"}},
		{"destructive-sql", Warn, []string{"drop table", "delete from", "truncate table"}},
		{"shell-injection", Review, []string{"; rm -rf", "&& rm -rf", "| sh", "|sh", "| bash", "|bash"}},
		{"encoded-exploit", Review, []string{"base64_decode(", "eval(base64", "eval(atob", "atob("}},
	}}
}

// ReadPolicy reads a policy file. An error names the rule and what is wrong with it.
// [WithPolicy] accepts every policy that ReadPolicy returns without an error.
func ReadPolicy(r io.Reader) (Policy, error) {
	var p Policy
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Policy{}, fmt.Errorf("policy: %w", err)
	}
	if err := p.check(); err != nil {
		return Policy{}, fmt.Errorf("policy: %w", err)
	}
	return p, nil
}

// WithPolicy makes a layer follow p. It panics if ReadPolicy would reject p.
func WithPolicy(p Policy) Option {
	if err := p.check(); err != nil {
		panic("safety: " + err.Error())
	}
	return func(l *Layer) { l.policy = p }
}

// check reports the first rule that cannot be compiled, whose id is taken or malformed,
// or whose action is for a rule that does not exist.
func (p Policy) check() error {
	known := map[string]bool{"secret-field": true, "known-secret": true, "invisible-text": true}
	for _, r := range append(secrets.Rules(), injection.Rules()...) {
		known[r.ID] = true
	}
	for _, r := range p.Rules {
		if err := checkID(r.ID, known); err != nil {
			return err
		}
		for _, phrase := range r.Phrases {
			if len(phrase) < 3 {
				return fmt.Errorf("rule %s: phrase %q is shorter than three bytes", r.ID, phrase)
			}
		}
	}
	for _, r := range p.Tokens {
		if err := checkID(r.ID, known); err != nil {
			return err
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("rule %s: %w", r.ID, err)
		}
	}
	for id := range p.Actions {
		if !known[id] {
			return fmt.Errorf("actions: there is no rule %q", id)
		}
	}
	return nil
}

// check reports the first format of the rule that does not parse.
func (r TokenRule) check() error {
	if r.Beside != "" && len(r.Beside) < 3 {
		return fmt.Errorf("the name %q is shorter than three bytes", r.Beside)
	}
	for _, spec := range r.Formats {
		var err error
		if r.Beside != "" {
			_, err = rule.ParseParts(spec)
		} else {
			_, err = rule.ParseFormat(spec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkID reports why id cannot be the id of a new rule, and otherwise adds it to known.
// Ids are kebab-case, so that a marker contains none of the bytes that could end it.
func checkID(id string, known map[string]bool) error {
	if known[id] {
		return fmt.Errorf("rule %q: there is one of that name already", id)
	}
	for i := range len(id) {
		if id[i] != '-' && !lex.Classes['l'][id[i]] {
			return fmt.Errorf("rule %q: an id is lower-case letters, digits and hyphens", id)
		}
	}
	if id == "" || len(id) > 40 {
		return fmt.Errorf("rule %q: an id is one to forty bytes long", id)
	}
	known[id] = true
	return nil
}

// rules returns the rules that the policy adds to the built-in ones.
func (p Policy) rules() []rule.Rule {
	var out []rule.Rule
	for _, r := range p.Rules {
		out = append(out, phrases(r.ID, r.Action, r.Phrases...))
	}
	for _, r := range p.Tokens {
		if r.Beside != "" {
			out = append(out, secrets.Vendor(r.ID, r.Beside, r.Formats...))
		} else {
			out = append(out, rule.Token(r.ID, r.Formats...))
		}
	}
	return out
}

// phrases returns a rule that matches any of the literals, ignoring case. The keyword is
// the match, so the matcher has only the end of the word to check.
func phrases(id string, action Action, literals ...string) rule.Rule {
	return rule.Rule{ID: id, Specificity: rule.FlagOnly, Action: action, Fold: true, Keywords: literals,
		Hits: literals, MaxGap: 1,
		Match: func(s string, at, end int) (int, int) {
			if end < len(s) && lex.IsLetter(s[end]) && lex.IsLetter(s[end-1]) {
				return 0, 0
			}
			return at, end
		}}
}
