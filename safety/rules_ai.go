package safety

// aiRules are the keys of model providers and of the tools around them.
func aiRules() []rule {
	return []rule{
		token("openai-api-key", "sk-proj-{k20+}", "sk-svcacct-{k20+}", "sk-admin-{k20+}", "sk-None-{k20+}", "sk-{a20+}", "sess-{a40}").
			but("task-notification", "sk-learn", "risk-assessment-of-the-thing", "sk-"),
		token("anthropic-api-key", "sk-ant-api{d2}-{k40+}", "sk-ant-{k24+}"),
		token("anthropic-oauth-token", "sk-ant-oat{d2}-{k40+}", "sk-ant-ort{d2}-{k40+}"),
		token("anthropic-admin-key", "sk-ant-admin{d2}-{k40+}"),
		token("openrouter-api-key", "sk-or-v1-{x40+}", "sk-or-{k40+}"),
		token("groq-api-key", "gsk_{a30+}"),
		token("replicate-api-token", "r8_{a30+}"),
		token("xai-api-key", "xai-{a40+}"),
		token("nvidia-api-key", "nvapi-{k40+}"),
		token("perplexity-api-key", "pplx-{a40+}"),
		token("huggingface-token", "hf_{a30+}", "api_org_{a30+}"),
		token("tavily-api-key", "tvly-{k20+}"),
		token("pinecone-api-key", "pcsk_{w40+}"),
		token("langfuse-key", "sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}"),
		token("nearai-session", "sess_{a32+}"),
		token("sandbox-placeholder", "icsbx_{a16+}"),
	}
}
