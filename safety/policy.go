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

// Action is what is done about a text that a rule matched. Its text form is its
// name in lower case.
type Action = rule.Action

// The actions a rule may have.
const (
	Redact   = rule.Redact   // mask the match; the action of every leak rule that names no other
	Block    = rule.Block    // withhold the whole text in Clean, and mask the match in Mask
	Warn     = rule.Warn     // leave the text and report a finding
	Review   = rule.Review   // a Warn that asks for a person's look
	Sanitize = rule.Sanitize // neutralise the match with a visible escape
)

// Policy is what users may change about the rules. Its JSON is the policy file.
type Policy struct {
	// Rules replace the default policy rules as a whole.
	Rules []PhraseRule `json:"rules"`
	// Actions change what is done about a rule, named by its id.
	Actions map[string]Action `json:"actions,omitempty"`
	// Tokens add credentials of one's own.
	Tokens []TokenRule `json:"tokens,omitempty"`
}

// PhraseRule matches any of its phrases, in either case, not inside a word.
type PhraseRule struct {
	ID      string   `json:"id"`
	Action  Action   `json:"action"`
	Phrases []string `json:"phrases"`
}

// TokenRule matches tokens of the given formats: acme_{a32} is acme_ and then 32
// letters or digits. Classes are a (letters and digits), l (lower case and
// digits), u (upper case and digits), d (digits), x (hex), k (letters, digits, _
// and -), b (base64); lengths are {a32}, {a20-40} and {a20+}. With Beside, the
// formats need no fixed beginning and count only beside that name.
type TokenRule struct {
	ID      string   `json:"id"`
	Formats []string `json:"formats"`
	Beside  string   `json:"beside,omitempty"`
}

// DefaultPolicy is the policy of a layer that is given no other. An honest
// rationale names sensitive paths and commands all the time, so its rules report
// and leave the sentence alone.
func DefaultPolicy() Policy {
	return Policy{Rules: []PhraseRule{
		{"sensitive-path", Warn, []string{"/etc/passwd", "/etc/shadow", ".ssh/", ".aws/credentials", ".kube/config",
			".netrc", ".npmrc", ".pypirc"}},
		{"destructive-sql", Warn, []string{"drop table", "delete from", "truncate table"}},
		{"shell-injection", Review, []string{"; rm -rf", "&& rm -rf", "| sh", "|sh", "| bash", "|bash"}},
		{"encoded-exploit", Review, []string{"base64_decode(", "eval(base64", "eval(atob", "atob("}},
	}}
}

// ReadPolicy reads a policy file. Every error names the rule and what is wrong
// with it; a policy without errors always makes a layer.
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

// WithPolicy makes a layer follow p. It panics on a policy that ReadPolicy would
// refuse.
func WithPolicy(p Policy) Option {
	if err := p.check(); err != nil {
		panic("safety: " + err.Error())
	}
	return func(l *Layer) { l.policy = p }
}

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

// checkID: ids are kebab-case, so that a marker can never hold one of the bytes
// that end it, and no two rules share one.
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

// rules are what the policy adds.
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

// phrases is a policy rule: any of the literals, in either case.
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
