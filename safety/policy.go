package safety

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"candor/safety/internal/injection"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
	"candor/safety/internal/secrets"
)

// Action is what the layer does with a match. In a policy file it is the lower-case name,
// such as "redact". The zero value is no action: the rule's severity decides.
type Action = rule.Action

// The actions a rule may have. All but Sanitize are those of a severity, in parentheses.
const (
	Redact   = rule.Redact   // mask the match (high); the default for credentials
	Block    = rule.Block    // withhold the whole text in Clean, and mask the match in Mask (critical)
	Warn     = rule.Warn     // leave the text and report a finding (low)
	Review   = rule.Review   // like Warn; in a tool call, a person is asked before it runs (medium)
	Sanitize = rule.Sanitize // neutralise the match with a visible escape (low, or medium if it says so)
)

// Policy is what an operator may change about the rules. Its JSON form is the policy
// file, which [ReadPolicy] reads.
//
// Each rule has a severity, and an action that follows from it. An operator may give
// either, or both if they agree: critical with block, high with redact, medium with review
// or sanitize, low with warn or sanitize. A rule of the operator's own that gives neither
// is high.
type Policy struct {
	// Rules replace all rules of [DefaultPolicy].
	Rules []PhraseRule `json:"rules"`
	// Actions override the actions of rules, by rule id.
	Actions map[string]Action `json:"actions,omitempty"`
	// Severities override the severities of rules, by rule id. A rule that neutralises its
	// matches goes on to do so at low and medium.
	Severities map[string]Severity `json:"severities,omitempty"`
	// Tokens add formats of credentials.
	Tokens []TokenRule `json:"tokens,omitempty"`
}

// PhraseRule matches any of its phrases, ignoring case. A phrase that ends in a letter
// does not match the beginning of a longer word. Phrases have three bytes or more.
type PhraseRule struct {
	ID       string   `json:"id"`
	Action   Action   `json:"action,omitempty"`
	Severity Severity `json:"severity,omitempty"`
	Phrases  []string `json:"phrases"`
}

// TokenRule matches tokens of the given formats: acme_{a32} is acme_ followed by 32
// letters or digits. The classes are a (letters and digits), l (lower case and digits),
// u (upper case and digits), d (digits), x (hex), k (letters, digits, _ and -) and
// b (base64); the lengths are {a32}, {a20-40} and {a20+}. A format starts with a literal
// prefix. With Beside it needs none, and matches only next to that name.
type TokenRule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity,omitempty"`
	Formats  []string `json:"formats"`
	Beside   string   `json:"beside,omitempty"`
}

// DefaultPolicy returns the policy of a layer without [WithPolicy]. Its rules leave the
// text, because honest reasons mention sensitive paths and commands all the time. A path
// is only noted; a command is put to a person before a tool that can act gets it.
func DefaultPolicy() Policy {
	return Policy{Rules: []PhraseRule{
		{ID: "sensitive-path", Severity: Low, Phrases: []string{"/etc/passwd", "/etc/shadow", ".ssh/",
			".aws/credentials", ".kube/config", ".netrc", ".npmrc", ".pypirc"}},
		{ID: "destructive-sql", Severity: Medium, Phrases: []string{"drop table", "delete from", "truncate table"}},
		{ID: "shell-injection", Severity: Medium, Phrases: []string{"; rm -rf", "&& rm -rf", "| sh", "|sh", "| bash",
			"|bash"}},
		{ID: "encoded-exploit", Severity: Medium, Phrases: []string{"base64_decode(", "eval(base64", "eval(atob",
			"atob("}},
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

// check reports the first rule that cannot be compiled, whose id is taken or malformed, or
// whose severity and action contradict each other, and an override for a rule that does
// not exist.
func (p Policy) check() error {
	builtin := append(append(secrets.Rules(), injection.Rules()...), ownRules()...)
	builtin = append(builtin, secrets.Known(""))
	known := map[string]bool{}
	for _, r := range builtin {
		known[r.ID] = true
	}
	for _, r := range p.Rules {
		if err := checkID(r.ID, known); err != nil {
			return err
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("rule %s: %w", r.ID, err)
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
	return p.checkSeverities(builtin, known)
}

// checkSeverities reports the first severity that is for no rule, and the first that
// contradicts an action.
func (p Policy) checkSeverities(builtin []rule.Rule, known map[string]bool) error {
	for id := range p.Severities {
		if !known[id] {
			return fmt.Errorf("severities: there is no rule %q", id)
		}
	}
	for _, r := range append(builtin, p.rules()...) {
		if _, err := p.override(r); err != nil {
			return err
		}
	}
	return nil
}

// override returns a rule with the severity and the action that the policy gives it. An
// error names the rule.
func (p Policy) override(r rule.Rule) (rule.Rule, error) {
	if r.Severity == "" {
		r.Severity = High
	}
	out, err := r.With(p.Severities[r.ID], p.Actions[r.ID])
	if err == nil && r.ID == secretField && out.Neutralise {
		err = errors.New("a value cannot be sanitized; take redact, or warn to leave it")
	}
	if err != nil {
		return r, fmt.Errorf("rule %s: %w", r.ID, err)
	}
	return out, nil
}

// check reports the first phrase of the rule that is too short, and a severity that
// contradicts the action.
func (r PhraseRule) check() error {
	for _, phrase := range r.Phrases {
		if len(phrase) < 3 {
			return fmt.Errorf("phrase %q is shorter than three bytes", phrase)
		}
	}
	_, err := r.rule()
	return err
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
		phrases, _ := r.rule() // check has seen the error
		out = append(out, phrases)
	}
	for _, r := range p.Tokens {
		token := rule.Token
		if r.Beside != "" {
			token = func(id string, formats ...string) rule.Rule { return secrets.Vendor(id, r.Beside, formats...) }
		}
		compiled := token(r.ID, r.Formats...)
		compiled.Severity = r.Severity
		out = append(out, compiled)
	}
	return out
}

// rule returns the compiled rule. The keyword is the match, so the matcher has only the end
// of the word to check. It fails if severity and action contradict each other.
func (r PhraseRule) rule() (rule.Rule, error) {
	compiled := rule.Rule{ID: r.ID, Specificity: rule.FlagOnly, Fold: true, Keywords: r.Phrases, Hits: r.Phrases,
		MaxGap: 1,
		Match: func(s string, at, end int) (int, int) {
			if end < len(s) && lex.IsLetter(s[end]) && lex.IsLetter(s[end-1]) {
				return 0, 0
			}
			return at, end
		}}
	return compiled.With(r.Severity, r.Action)
}
