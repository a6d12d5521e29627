package openai

import "strings"

// Echo says whether Chat sends a model's raw reasoning back with its tool calls.
type Echo int

// The rules of providers. Zero means the rule that is known for the provider. The
// rules have changed before and will again, which is why Options can overrule them.
const (
	EchoRequired  Echo = iota + 1 // refuses a conversation without it
	EchoOptional                  // may use it
	EchoForbidden                 // refuses a conversation with it, or never sends any
)

// echoRules are tried in order; an empty field matches everything. They follow what the
// providers document, and what users of other clients report.
var echoRules = []struct {
	host  string // matches the host and its subdomains
	model string // matches a part of the model's name
	echo  Echo
}{
	{"openai.com", "", EchoForbidden},
	{"openai.azure.com", "", EchoForbidden},
	{"groq.com", "", EchoForbidden},
	{"mistral.ai", "", EchoForbidden},
	{"deepseek.com", "", EchoRequired},
	{"moonshot.ai", "", EchoRequired},
	{"moonshot.cn", "", EchoRequired},
	{"openrouter.ai", "", EchoOptional},
	{"", "kimi-k2", EchoRequired},
	{"", "", EchoOptional},
}

// echoRule returns the rule of the server at host for a model.
func echoRule(host, model string) Echo {
	host, model = strings.ToLower(host), strings.ToLower(model)
	for _, r := range echoRules {
		hostMatches := r.host == "" || host == r.host || strings.HasSuffix(host, "."+r.host)
		if hostMatches && strings.Contains(model, r.model) {
			return r.echo
		}
	}
	return EchoOptional
}
