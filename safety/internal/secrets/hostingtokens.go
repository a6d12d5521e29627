package secrets

import (
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// hostTokens finds the keys of clouds and hosts. y0_ and AKID begin names, too, so the rest must
// look generated.
func hostTokens() []rule.Rule {
	exact := rule.Format{Exact: true}
	return []rule.Rule{
		// Google Cloud Storage's HMAC ids and server keys of Cloud Messaging; session tokens and
		// older keys of AWS and Amazon's login.
		rule.Token("cloud-storage-hmac-id", "GOOG1E{t55+}"),
		rule.LooseToken("google-messaging-key", "{k7-11}<:APA91b>{k100+}"),
		rule.Token("google-authorization-code", "4/0A{k60+}"),
		rule.Token("aws-session-token", "FwoGZXIvYXdz{y60+}", "FQoGZXIvYXdz{y60+}",
			"IQoJb3JpZ2lu{y60+}"),
		rule.Token("amazon-login-secret", "amzn1.oa2-cs.v1.{x64}", "amzn.mws."+uuid),

		Vendor("huawei-secret-key", "huaweicloud huawei", "{a40}"),
		Vendor("agora-certificate", "agora", "{x32}"),

		// Tencent, Volcengine, Alibaba's temporary ids, Yandex's OAuth tokens, Huawei.
		rule.RandomToken("tencent-access-key-id", "AKID{a32+}"),
		rule.RandomToken("bytedance-access-key-id", "AKLT{a40+}"),
		rule.RandomToken("alibaba-temporary-id", "STS.{a24+}"),
		rule.RandomToken("yandex-login-token", "y0_{k50+}"),

		// Cloudflare's newer tokens, which end in a checksum, and Turnstile.
		rule.Token("cloudflare-token", "cfut_{a40}{x8}", "cfat_{a40}{x8}", "cfk_{a40}{x8}", "cfoat_{a40+}"),
		rule.RandomToken("captcha-secret", "0x4AAAAAA{k25+}"),

		// Vercel's stores, Render, Deno, Netlify's other tokens, DigitalOcean's spaces, Linear's
		// and Heroku's kin.
		rule.Token("object-host-token", "vercel_blob_rw_{a16}_{a30}"),
		rule.TokenOf("app-host-key", exact, lex.LooksGenerated, []string{"rnd_{a28}"}),
		rule.Token("edge-runtime-token", "ddp_{a36}", "ddw_{a36}", "ddo_{a36}"),
		rule.Token("site-host-token", "nfc_{a36}", "nfo_{a36}", "nfu_{a36}", "nfb_{a36}"),
		rule.RandomToken("object-store-id", "DO00{u16}"),

		// ngrok's API keys, Tailscale's rivals, k3s' join tokens, and identities of Bitwarden's
		// secrets manager.
		rule.Token("cluster-join-token", "K10{x64}::{k2-20}:{n16+}"),
		rule.Token("secrets-manager-token", "0.{x8}-{x4}<-4>{x3}-{x4}-{x12}.{a30}:{b22}{e0-2}"),
		Vendor("secrets-sync-token", "infisical", "st.{x24}.{x32}.{x32}", "st.{x24}.{x32}"),
	}
}

// databaseTokens finds the keys of hosted databases and stores.
func databaseTokens() []rule.Rule {
	return []rule.Rule{
		// Neon's API keys and passwords, CockroachDB, Aiven, Databricks' other tokens, MongoDB Atlas.
		rule.Token("postgres-host-key", "napi_{l40+}"),
		rule.TokenOf("postgres-host-password", rule.Format{}, isMixedToken, []string{"npg_{a12+}"}),
		rule.Token("distributed-sql-key", "CCDB1_{a22}_{a40}"),
		rule.Token("managed-data-password", "AVNS_{k15+}"),
		rule.Token("lakehouse-token", "dose{h32}", "dkea{h32}", "doseb{h32}", "dsapi{h32}"),
		rule.Token("document-store-secret", "mdb_sa_sk_{k40}"),

		// Elastic Cloud, Fauna, DataStax, Xata, Convex and Turso.
		rule.Token("search-cloud-key", "essu_{y60+}"),
		rule.RandomToken("query-store-key", "fnA{k37}"),
		rule.Token("wide-column-token", "AstraCS:{a24}:{x64}"),
		rule.RandomToken("typed-store-key", "xau_{a32+}"),
		rule.LooseToken("reactive-store-key", "eyJ2MiI6I{y30+}"),
	}
}

// buildTokens finds the keys of registries, build services and scanners.
func buildTokens() []rule.Rule {
	exact := rule.Format{Exact: true}
	return []rule.Rule{
		// crates.io, NuGet, Packagist, Astral's pyx and Thunderstore.
		rule.TokenOf("rust-registry-token", exact, hasDigits, []string{"cio{a32}"}),
		rule.TokenOf("dotnet-registry-key", exact, hasDigits, []string{"oy2{l43}"}),
		rule.Token("php-index-token", "packagist_oat_{x60+}", "packagist_uat_{x60+}", "packagist_ort_{x60+}",
			"packagist_ack_{x60+}"),
		rule.Token("python-index-token", "pyx-key-v1-{k40+}"),
		rule.TokenOf("mod-registry-token", exact, lex.LooksGenerated, []string{"tss_{a36}"}),

		// Buildkite, CircleCI's projects, Prefect's servers, Snyk, Endor, Aikido, StackHawk,
		// Contrast and Spectral.
		rule.Token("pipeline-agent-token", "bkct_{k40+}", "bkaj_{k40+}", "bkpt_{k40+}", "CCIPRJ_{a20+}_{x40}"),
		rule.Token("workflow-bot-token", "pnb_{a36}"),
		rule.Token("code-scan-token", "snyk_uat.{x8}.{k60+}", "snyk_sat.{x8}.{k60+}", "AIK_CI_{a32+}", "endr+{a16}",
			"hawk.{k20}.{k20}", "spu-{x32}").Except("spu-system"),

		// GitLab's other tokens, Gitea's kin, Jenkins, Sourcegraph's gateway, Rootly, and Polar's
		// and Ory's tokens.
		rule.LooseToken("gitlab-workspace-token", "glwt-{k20+}", "glrtr-{k20+}", "gloat-{k20+}"),
		rule.Token("code-search-gateway-key", "slk_{x64}", "sgd_{x64}"),
		rule.Token("incident-tool-key", "rootly_{x64}"),
		rule.RandomToken("account-service-token", "polar_oat_{a40+}", "polar_pat_{a40+}", "ory_pat_{a30+}",
			"ory_at_{k40+}", "ory_apikey_{a30+}"),
		rule.RandomToken("doppler-scoped-token", "dp.st.{w2-35}.{a40-44}"),
		rule.Token("flag-client-key", "configcat-sdk-1/{k22}/{k22}"),
		rule.Token("time-tracker-key", "waka_"+uuid),
	}
}

// isMixedToken reports whether a value holds a digit or changes case as words do not.
func isMixedToken(v string) bool { return lex.HasDigit(v) || lex.Scrambled(v) }
