package openai

import "strings"

// Echo says whether Chat sends a model's raw reasoning back with its tool calls.
type Echo int

// The rules providers have, zero being the one known for the provider. They have
// changed before and will again, which is why Options can overrule the table.
const (
	EchoRequired  Echo = iota + 1 // refuses a conversation without it
	EchoOptional                  // may use it
	EchoForbidden                 // refuses a conversation with it, or never sends any
)

// echoRules are looked through in order; an empty field fits all.
var echoRules = []struct {
	host, model string // a host and those below it; what the model's name contains
	echo        Echo
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

func echoOf(host, model string) Echo {
	host, model = strings.ToLower(host), strings.ToLower(model)
	for _, r := range echoRules {
		here := r.host == "" || host == r.host || strings.HasSuffix(host, "."+r.host)
		if here && strings.Contains(model, r.model) {
			return r.echo
		}
	}
	return EchoOptional
}
