package secrets

import (
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/rule"
)

// Rules returns the rules for credentials, each call a fresh slice. Where two rules of the
// same specificity match the same text, the earlier one names it, so the order is part of
// the behaviour: matchers for whole formats come first, then the tables.
func Rules() []rule.Rule {
	rules := []rule.Rule{
		privateKey(),
		looseKey(),
		headlessKey(),
		puttyKey(),
		jwkPart(),
		jwt(),
		jwtLike(),
		dsn(),
		bearer(),
		basicAuth(),
		authHeader(),
		cookie(),
		keyvalue.Rule(),
		foreignPassword(),
		commandLine(),
		piped(),
		pgpass(),
		signedAddress(),
		seedHex(),
	}
	for _, family := range [][]rule.Rule{
		aiRules(), platformRules(), cloudRules(), saasRules(), agentTokenRules(), hostingRules(), businessRules(),
		webhookRules(), loginRules(),
	} {
		rules = append(rules, family...)
	}
	return rules
}
