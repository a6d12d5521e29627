package secrets

import (
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/rule"
)

// Rules are the rules of the detector, families in files of their own.
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
		seedHex(),
	}
	for _, family := range [][]rule.Rule{aiRules(), platformRules(), cloudRules(), saasRules()} {
		rules = append(rules, family...)
	}
	return rules
}
