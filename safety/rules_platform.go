package safety

// platformRules are tokens of code hosts, clouds and messaging services.
func platformRules() []rule {
	return []rule{
		looseToken("github-pat", "ghp_{a36}"),
		looseToken("github-oauth", "gho_{a36}"),
		looseToken("github-app-token", "ghu_{a36}", "ghs_{a36}"),
		looseToken("github-refresh-token", "ghr_{a36}"),
		looseToken("github-fine-grained-pat", "github_pat_{w40+}"),
		looseToken("gitlab-pat", "glpat-{k20}"),
		exactToken("aws-access-key-id", "AKIA{u16}", "ASIA{u16}", "ABIA{u16}", "ACCA{u16}", "A3T{u17}").
			but("AKIAIOSFODNN7"+"EXAMPLE", "AKIAVERYLONGWORDINCAPITALLETTERS"),
		token("google-api-key", "AIza{k35}"),
		token("google-oauth-token", "ya29.{k20+}"),
		token("stripe-api-key", "sk_live_{a10+}", "sk_test_{a10+}", "sk_prod_{a10+}", "rk_live_{a10+}", "rk_test_{a10+}", "rk_prod_{a10+}"),
		looseToken("slack-token", "xoxb-{n10+}", "xoxa-{n10+}", "xoxp-{n10+}", "xoxr-{n10+}", "xoxs-{n10+}", "xoxo-{n10+}", "xoxe-{n10+}", "xoxe.xox{z1}-{n10+}"),
		foldToken("slack-app-token", "xapp-{d1}-{u6+}-{d6+}-{l10+}"),
		exactToken("twilio-api-key", "SK{x32}"),
		token("sendgrid-api-key", "SG.{k20-24}.{k39-50}", "SG.{p66}"),
		token("telegram-bot-token", "{d8-12}<:AA>{k30+}"),
		looseToken("npm-token", "npm_{a36}"),
		looseToken("pypi-token", "pypi-AgEIcHlwaS5vcmc{k50+}", "pypi-AgENdGVzdC5weXBpLm9yZw{k50+}"),
	}
}
