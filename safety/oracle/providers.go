package oracle

import "sort"

// providers are the shapes of AI providers' keys, written down apart from the
// product's own rules so that one checks the other.
var providers = map[string]string{
	"openai-legacy":  `sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}`,
	"openai-project": `sk-proj-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}`,
	"openai-service": `sk-svcacct-[A-Za-z0-9_-]{58}T3BlbkFJ[A-Za-z0-9_-]{58}`,
	"openai-admin":   `sk-admin-[A-Za-z0-9_-]{58}T3BlbkFJ[A-Za-z0-9_-]{58}`,
	"openai-short":   `sk-[a-zA-Z0-9]{48}`,
	"openai-dashed":  `sk-proj-[A-Za-z0-9]{4}-[A-Za-z0-9]{3}_[A-Za-z0-9]{24}`,
	"anthropic-api":  `sk-ant-api03-[a-zA-Z0-9_-]{93}AA`,
	"anthropic-oat":  `sk-ant-oat01-[a-zA-Z0-9_-]{93}AA`,
	"anthropic-adm":  `sk-ant-admin01-[a-zA-Z0-9_-]{93}AA`,
	"groq":           `gsk_[a-zA-Z0-9]{52}`,
	"openrouter":     `sk-or-v1-[a-f0-9]{64}`,
	"replicate":      `r8_[a-zA-Z0-9]{37}`,
	"xai":            `xai-[a-zA-Z0-9]{80}`,
	"mistral":        `MISTRAL_API_KEY=[a-zA-Z0-9]{32}`,
	"mistral-prose":  `the mistral key is [a-zA-Z0-9]{32}`,
	"deepseek":       `sk-[a-f0-9]{32}`,
	"nvidia":         `nvapi-[A-Za-z0-9_-]{64}`,
	"pinecone":       `pcsk_[a-zA-Z0-9]{6}_[a-zA-Z0-9]{60}`,
	"langfuse":       `sk-lf-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}`,
	"tavily":         `tvly-[A-Za-z0-9]{32}`,
	"tavily-dev":     `tvly-dev-[A-Za-z0-9]{32}`,
	"huggingface":    `hf_[A-Za-z]{34}`,
	"huggingface-n":  `hf_[A-Za-z0-9]{34}`,
	"cohere":         `COHERE_API_KEY=[A-Za-z0-9]{40}`,
	"cohere-co":      `CO_API_KEY: "[A-Za-z0-9]{40}"`,
	"perplexity":     `pplx-[a-zA-Z0-9]{48}`,
	"google":         `AIza[A-Za-z0-9_-]{35}`,
	"together":       `tgp_v1_[A-Za-z0-9_-]{43}`,
	"fireworks":      `fw_[A-Za-z0-9]{24}`,
	"cerebras":       `csk-[a-z0-9]{48}`,
	"elevenlabs":     `sk_[a-f0-9]{48}`,
	"jina":           `jina_[a-f0-9]{32}[A-Za-z0-9_-]{28}`,
	"voyage":         `pa-[A-Za-z0-9_-]{43}`,
	"langsmith":      `lsv2_pt_[a-f0-9]{32}_[a-f0-9]{10}`,
	"firecrawl":      `fc-[a-f0-9]{32}`,
	"e2b":            `e2b_[a-f0-9]{40}`,
	"stability":      `STABILITY_API_KEY="sk-[A-Za-z0-9]{48}"`,
	"deepgram":       `DEEPGRAM_API_KEY=[a-f0-9]{40}`,
	"assemblyai":     `ASSEMBLYAI_API_KEY=[a-f0-9]{32}`,
	"azure-openai":   `AZURE_OPENAI_API_KEY=[a-f0-9]{32}`,
	"ai21":           `AI21_API_KEY=[A-Za-z0-9]{32}`,
	"wandb":          `WANDB_API_KEY=[a-f0-9]{40}`,
	"serper":         `SERPER_API_KEY=[a-f0-9]{40}`,
	"brave":          `BSA[A-Za-z0-9_-]{27}`,
	"databricks":     `dapi[a-f0-9]{32}`,
	"bedrock":        `ABSK[A-Za-z0-9+/]{109}=`,

	"anthropic-sid":  `sk-ant-sid01-[a-zA-Z0-9_-]{93}AA`,
	"openrouter-old": `sk-or-[a-zA-Z0-9]{48}`,
	"langfuse-pub":   `pk-lf-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}`,
	"google-auth":    `AQ\.Ab8RN6[A-Za-z0-9_-]{44}`,
	"google-oauth":   `ya29\.a0A[A-Za-z0-9_-]{150}`,
	"kimi":           `sk-kimi-[A-Za-z0-9]{64}`,
	"minimax":        `sk-api-[A-Za-z0-9_-]{119}`,
	"litellm":        `sk-[A-Z][a-z][0-9][A-Za-z0-9_-]{19}`,
	"glm":            `ZHIPUAI_API_KEY=[a-f0-9]{32}\.[A-Za-z0-9]{16}`,
	"fal":            `FAL_KEY=[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}:[a-f0-9]{32}`,
	"modal":          `MODAL_TOKEN_SECRET=as-[A-Za-z0-9]{22}`,
	"cursor":         `key_[a-f0-9]{64}`,
	"runway":         `key_[a-f0-9]{128}`,
	"windsurf":       `sk-ws-01-[A-Za-z0-9_-]{70}`,
	"cartesia":       `sk_car_[A-Za-z0-9]{22}`,
	"llama-cloud":    `llx-[A-Za-z0-9]{48}`,
	"browserbase":    `bb_live_[A-Za-z0-9_-]{27}`,
	"context7":       `ctx7sk-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}`,
	"qianfan":        `bce-v3/ALTAK-[A-Za-z0-9]{21}/[a-f0-9]{40}`,
	"runpod":         `rpa_[A-Z0-9]{40}[a-z0-9]{6}`,
	"chutes":         `cpk_[a-f0-9]{32}\.[a-f0-9]{32}\.[A-Za-z0-9]{32}`,
	"nebius":         `eyJ[A-Za-z0-9]{33}\.eyJ[A-Za-z0-9_-]{300}\.[A-Za-z0-9_-]{43}`,
	"voyage-atlas":   `al-[A-Za-z0-9_-]{43}`,
	"apify":          `apify_api_[A-Za-z0-9]{36}`,
	"posthog":        `phx_[A-Za-z0-9]{43}`,
	"exa":            `EXA_API_KEY=[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}`,
	"sambanova":      `SAMBANOVA_API_KEY="[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"`,
	"deepinfra":      `DEEPINFRA_TOKEN=[A-Za-z0-9]{32}`,
	"serpapi":        `SERPAPI_API_KEY=[a-f0-9]{64}`,
	"portkey":        `PORTKEY_API_KEY=[A-Za-z0-9]{28}`,
	"comet":          `COMET_API_KEY=[A-Za-z0-9]{25}`,
	"qdrant":         `QDRANT_API_KEY="[A-Za-z0-9]{43}"`,
	"weaviate":       `WEAVIATE_API_KEY: [A-Za-z0-9]{36}`,
	"composio":       `COMPOSIO_API_KEY=[a-z0-9]{20}`,
	"gateway":        `AI_GATEWAY_API_KEY=vck_[A-Za-z0-9]{56}`,
	"baseten":        `BASETEN_API_KEY=[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}`,
}

// Providers are n texts for each AI provider; the secret is what follows the
// last space, equals sign or quote.
func Providers(n int) []Sample {
	names := make([]string, 0, len(providers))
	for name := range providers {
		names = append(names, name)
	}
	sort.Strings(names)
	var out []Sample
	for _, name := range names {
		for k := range n {
			text := Generate(providers[name], int64(k))
			out = append(out, Sample{Rule: name, Secret: lastWord(text), Text: text, Self: true})
		}
	}
	return out
}

func lastWord(text string) string {
	end := len(text)
	for end > 0 && text[end-1] == '"' {
		end--
	}
	i := end
	for i > 0 && text[i-1] != ' ' && text[i-1] != '"' && !(text[i-1] == '=' && i < end) {
		i--
	}
	return text[i:end]
}
