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
		modelVendorRules(), modelToolRules(), modelGatewayRules(), modelNameRules(),
		codeHostRules(), registryRules(), deliveryRules(),
		cloudVendorRules(), infrastructureRules(), hostedServiceRules(),
		messagingRules(), contactRules(), paymentRules(), bankRules(), serviceRules(),
		agentTokenRules(),
		// What joined the lists of scanners lately, or only some of them know: gitleaks, TruffleHog, Kingfisher, Nosey
		// Parker, GitHub.
		hostTokens(), databaseTokens(), buildTokens(), moneyTokens(), mailTokens(), monitorTokens(), officeTokens(),
		webhookRules(), loginRules(),
	} {
		rules = append(rules, family...)
	}
	return rules
}
