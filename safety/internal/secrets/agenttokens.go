package secrets

import (
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// agentTokenRules finds the keys of services that agents are built from and run on, by the shapes
// that the rule lists of gitleaks, TruffleHog and Kingfisher give. Where a prefix begins words too,
// as ak- and key_ do, the length is exact and the rest must look generated.
func agentTokenRules() []rule.Rule {
	exact := rule.Format{Exact: true}
	return []rule.Rule{
		// Coze, Composio, Modal (a token's id and its secret), fal (an id and a secret), Retell and Dify.
		rule.TokenOf("bot-platform-token", exact, lex.LooksGenerated, []string{"pat_{a64}", "sat_{a64}"}),
		rule.TokenOf("agent-toolset-key", exact, lex.LooksGeneratedInBothCases, []string{"ak_{k20}"}),
		rule.TokenOf("modal-token", exact, lex.LooksGeneratedInBothCases, []string{"ak-{a22}", "as-{a22}"}),
		rule.TokenOf("voice-agent-key", exact, hasDigits, []string{"key_{x28}"}),
		rule.TokenOf("agent-workflow-key", exact, lex.LooksGeneratedInBothCases,
			[]string{"app-{a24}", "dataset-{a24}"}),

		// Azure's keys of 84 characters, for AI services, DevOps and others, have a mark of the
		// issuer inside; so have its older keys with the name of a service in them.
		rule.LooseToken("azure-marked-key", "{a52}<JQQJ99>{a26}"),
		rule.LooseToken("azure-service-key",
			"{k30-60}<AzFu>{k5}{e0-2}", "{a30-60}<AzSe>{a6}", "{b30-60}<+ASb>{b6}{e0-2}", "{b30-60}<AIoT>{b6}{e0-2}",
			"{b60-90}<ACDb>{b6}{e0-2}", "{b60-90}<+ASt>{b6}{e0-2}", "{b36-60}<+ACR>{a6}", "{b30-60}<+AEh>{b6}{e0-2}"),

		// Chroma, Nomic, Devin, Daytona, LightOn and NVIDIA's older keys.
		rule.TokenOf("vector-cloud-key", exact, lex.LooksGeneratedInBothCases, []string{"ck-{a44}"}),
		rule.TokenOf("embedding-atlas-key", exact, lex.LooksGeneratedInBothCases, []string{"nk-{k43}"}),
		rule.RandomToken("engineer-agent-key", "apk_{y80+}", "apk_user_{y40+}"),
		rule.TokenOf("engineer-agent-user-key", exact, lex.LooksGenerated, []string{"cog_{l52}"}),
		rule.Token("sandbox-host-key", "dtn_{x64}"),
		rule.RandomToken("inference-host-key", "stau_{k40+}"),

		// Portkey, Unkey, Trigger.dev, Inngest, Val Town, Upstash's QStash and Voiceflow.
		rule.RandomToken("event-runner-key", "tr_dev_{a20+}", "tr_prod_{a20+}", "tr_stg_{a20+}"),
		rule.Token("event-runner-hmac", "signkey-prod-{x32+}", "signkey-test-{x32+}", "signkey-branch-{x32+}"),
		rule.RandomToken("function-host-token", "vtwn_{a26+}", "unkey_{a20+}", "zpka_{a30+}"),
		rule.RandomToken("dialogue-platform-key", "VF.DM.{a24}.{a16}", "VF.WS.{a24}.{a16}"),

		// fal's keys are a UUID of version 4, whose digit is the keyword, and a secret.
		rule.Token("media-model-key", "{x8}-{x4}<-4>{x3}-{x4}-{x12}:{x32}"),
		Vendor("image-model-key", "fal_key fal_ai fal-ai", uuid+":{x32}"),
	}
}

// hasDigits reports whether a value holds at least three digits.
func hasDigits(v string) bool { return lex.CountChars(v).Digit >= 3 }
