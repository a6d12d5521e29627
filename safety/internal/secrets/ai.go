package secrets

import (
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// modelVendorRules finds the keys of companies that train models or serve them, by the prefixes
// their dashboards and API references show. Prefixes that are also words once matched CSS classes
// such as sk-toggleable__label and names such as hf_requiredFields: RandomToken and a test of the
// letters keep those out.
func modelVendorRules() []rule.Rule {
	return []rule.Rule{
		// OpenAI: project, service account and admin keys (API reference, "Authentication" and "Admin API
		// keys"). T3BlbkFJ, base64 of "OpenAI", appears in the middle of each older key.
		rule.Token("openai-api-key", "sk-proj-{k20+}", "sk-svcacct-{k20+}", "sk-admin-{k20+}", "sk-None-{k20+}",
			"sk-{a20+}", "sk-test-{a16+}", "sk-live-{a16+}", "sess-{a40}").
			Except("task-notification", "sk-learn", "risk-assessment-of-the-thing", "sk-"),
		rule.LooseToken("openai-legacy-key", "{k20-80}<T3BlbkFJ>{k20+}"),

		// Anthropic: API keys, tokens of a subscription, and admin keys (API documentation, "Admin API").
		rule.Token("anthropic-key", "sk-ant-api{d2}-{k40+}", "sk-ant-sid{d2}-{k40+}", "sk-ant-{k24+}"),
		rule.Token("anthropic-oauth-token", "sk-ant-oat{d2}-{k40+}", "sk-ant-ort{d2}-{k40+}"),
		rule.Token("anthropic-org-key", "sk-ant-admin{d2}-{k40+}"),

		// OpenRouter, Groq and Replicate: API keys as their authentication pages show them.
		rule.Token("openrouter-api-key", "sk-or-v1-{x40+}", "sk-or-{k40+}"),
		rule.Token("groq-api-key", "gsk_{a30+}"),
		rule.Token("replicate-api-token", "r8_{a30+}"),

		// xAI, NVIDIA's API catalogue and Perplexity: API keys as their quickstarts show them.
		rule.Token("grok-key", "xai-{a40+}", "xai-token-{a40+}"),
		rule.Token("nvidia-key", "nvapi-{k40+}"),
		rule.Token("perplexity-api-key", "pplx-{a32+}"),

		// Hugging Face: user and organization tokens (Hub documentation, "User access tokens").
		rule.ExactToken("huggingface-token", "hf_{a34}"),
		rule.TokenOf("huggingface-user-token", rule.Format{}, lex.NotWords, []string{"hf_{a30+}"}).
			Except("hf_requiredCharacteristicTypesForDisplayMetadata"),
		rule.Token("huggingface-organization-token", "api_org_{a30+}"),
	}
}

// modelToolRules finds the keys of services that models use: search, vector stores, traces and
// evaluation, speech, embeddings, sandboxes and proxies.
func modelToolRules() []rule.Rule {
	return []rule.Rule{
		// Tavily's search and Pinecone's vector store.
		rule.Token("tavily-api-key", "tvly-{k20+}"),
		rule.Token("pinecone-api-key", "pcsk_{w40+}"),

		// Langfuse (secret and public key) and LangSmith (personal, service and legacy keys).
		rule.Token("langfuse-key", "sk-lf-"+uuid, "pk-lf-"+uuid),
		rule.Token("langsmith-key", "lsv2_pt_{x32}_{x10}", "lsv2_sk_{x32}_{x10}", "ls__{x32}"),

		// Session of a NEAR AI login, and the placeholder that a sandbox swaps for a real key: a
		// reader should see that something stood there.
		rule.Token("nearai-login", "sess_{a32+}"),
		rule.Token("sandbox-placeholder", "icsbx_{a16+}"),

		// Cerebras, ElevenLabs, Together and Fireworks: inference and speech.
		rule.Token("cerebras-api-key", "csk-{a40+}"),
		rule.Token("elevenlabs-api-key", "sk_{x48}"),
		rule.Token("together-api-key", "tgp_v1_{k40+}"),
		rule.RandomToken("fireworks-api-key", "fw_{a22+}"),

		// Jina and Voyage: embeddings. pa- and al- begin many words.
		rule.Token("embeddings-api-key", "jina_{k50+}"),
		rule.RandomToken("voyage-api-key", "pa-{k40+}", "al-{k40+}"),

		// Firecrawl, E2B, Weights & Biases and Helicone: crawling, sandboxes, experiments, a proxy.
		rule.Token("firecrawl-api-key", "fc-{x32}"),
		rule.Token("e2b-api-key", "e2b_{x40}"),
		rule.Token("weights-biases-key", "wandb_v1_{k40+}"),
		rule.Token("llm-proxy-key", "sk-helicone-{n20+}"),

		// Brave Search, Anyscale and Friendli. BSA now and then appears inside base64.
		rule.RandomToken("brave-search-key", "BSA{k27}").Isolated().Except("+BSAq8Zr1kUd7Vw3Xy5Tn2Mb4Lc6Ph9Jg+x"),
		rule.Token("anyscale-key", "esecret_{a20+}"),
		rule.Token("friendli-token", "flp_{a30+}"),
	}
}

// modelGatewayRules finds the keys of gateways, memory services, GPU clouds and agents. Gateways
// issue keys with OpenAI's prefix and a body of their own, so the rules for any sk- come after
// those for a known vendor and require both cases and digits: without that they matched the class
// names of scikit-learn's HTML and functions of the Linux kernel.
func modelGatewayRules() []rule.Rule {
	return []rule.Rule{
		// Google's Gemini and Vertex AI express mode; LiteLLM's virtual keys; Mem0.
		rule.Token("google-ai-key", "AQ.{k40+}"),
		rule.Token("model-gateway-key", "sk-litellm-{k16+}"),
		rule.Token("mem0-api-key", "m0-{a40}"),

		// Any other gateway that issues keys with the prefix sk-.
		rule.TokenOf("proxied-model-key", rule.Format{}, lex.LooksGeneratedInBothCases, []string{"sk-{k20+}"}).
			WithLookahead(128).
			Except("sk-toggleable__label-arrow-2x3y4z5w6v7", "sk-container-id-12-estimator-doc-link-2"),

		// Moonshot (Kimi), MiniMax, Windsurf and Cartesia.
		rule.Token("moonshot-key", "sk-kimi-{a40+}"),
		rule.Token("minimax-key", "sk-api-{k100+}"),
		rule.Token("editor-service-key", "sk-ws-{d2}-{k40+}"),
		rule.Token("speech-api-key", "sk_car_{a20+}"),

		// Any other vendor that issues keys with the prefix sk_. Cursor's keys are hex behind key_.
		rule.TokenOf("prefixed-model-key", rule.Format{}, lex.LooksGeneratedInBothCases, []string{"sk_{k30+}"}).
			WithLookahead(128).
			Except("sk_buff_head_init_and_lock_all_the_queues_2"),
		rule.Token("agent-editor-key", "key_{x64}", "key_{x128}"),

		// Zhipu (GLM): an id and a secret, recognised beside the name only.
		Vendor("glm-api-key", "zhipu bigmodel glm_api zai_api z_ai", "{x32}.{a16}"),

		// Lambda's GPU cloud, Chutes, Browserbase, LlamaCloud and Context7.
		rule.Token("gpu-cloud-key", "secret_{w40-90}.{a32}"),
		rule.Token("decentral-inference-key", "cpk_{x32}.{x32}.{a32}"),
		rule.Token("browser-agent-key", "bb_live_{k24+}", "bb_test_{k24+}"),
		rule.Token("llama-cloud-key", "llx-{a40+}"),
		rule.Token("docs-context-key", "ctx7sk-"+uuid),

		// Baidu's Qianfan, RunPod, Zep and Predibase. Zep's prefix is base64 of the name of a JSON field.
		rule.Token("qianfan-api-key", "bce-v3/ALTAK-{a16-30}/{x40}"),
		rule.Token("gpu-pod-key", "rpa_{a30+}"),
		rule.Token("memory-service-key", "z_1dWlkIjoi{b40+}"),
		rule.RandomToken("fine-tuning-key", "pb_{a22+}"),
	}
}

// modelNameRules finds model vendors' keys without a prefix, beside the vendor's name. The lengths
// are those of the keys that their dashboards issue; none is specified.
func modelNameRules() []rule.Rule {
	return []rule.Rule{
		// Language models.
		Vendor("mistral-api-key", "mistral", "{a32}"),
		Vendor("cohere-api-key", "cohere co_api_key", "{a40}"),
		Vendor("deepseek-api-key", "deepseek", "sk-{a32}", "{a32}"),
		Vendor("ai21-api-key", "ai21", "{a32}"),

		// Speech: Deepgram and AssemblyAI.
		Vendor("deepgram-api-key", "deepgram", "{x40}"),
		Vendor("assemblyai-api-key", "assemblyai", "{x32}"),

		// Keys from before a prefix was introduced, and of resources in Azure.
		Vendor("azure-openai-key", "azure_openai azureopenai azure-openai", "{x32}", "{a84}"),
		Vendor("wandb-legacy-key", "wandb", "{x40}"),
		Vendor("pinecone-legacy-key", "pinecone", uuid),
		Vendor("together-legacy-key", "together", "{x64}"),
		Vendor("stability-api-key", "stability", "sk-{a48}"),

		// Search and anonymisation.
		Vendor("serper-api-key", "serper", "{x40}"),
		Vendor("exa-api-key", "exa_api exa-api", uuid),
		Vendor("privateai-api-token", "privateai private_ai private-ai", "{a32}"),
	}
}

// uuid is the format of a UUID, which many vendors issue as a key.
const uuid = "{x8}-{x4}-{x4}-{x4}-{x12}"

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
