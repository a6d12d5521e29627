package secrets

import (
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// cloudVendorRules finds the credentials of cloud vendors and of databases and hosts that they run. AKIA once
// matched long words in capitals, and sig= in a URL the short numbers of other parameters.
func cloudVendorRules() []rule.Rule {
	return []rule.Rule{
		// AWS: access key ids by their unique prefixes (IAM User Guide, "IAM identifiers"), secret keys, and
		// keys of Bedrock (Bedrock User Guide, "API keys").
		rule.ExactToken("aws-access-key-id", "AKIA{u16}", "ASIA{u16}", "ABIA{u16}", "ACCA{u16}", "A3T{u17}").
			Except("AKIAIOSFODNN7", "AKIAVERYLONGWORDINCAPITALLETTERS"),
		awsSecret(),
		rule.Token("aws-foundation-model", "ABSK{b100-280}", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{b0+}"),

		// Google Cloud: API keys, OAuth access and refresh tokens, client secrets (Google Cloud
		// documentation, "Manage API keys"; Google Identity, "Using OAuth 2.0").
		rule.Token("google-api-key", "AIza{k30+}"),
		rule.Token("google-oauth-token", "ya29.{k20+}"),
		rule.Token("google-client-secret", "GOCSPX-{k28}"),
		rule.Token("google-refresh-token", "1//0{k40+}"),

		// Azure: client secrets of Entra ID with their marker Q~, account keys in connection strings, the
		// signature of a shared access URL (Azure Storage documentation, "Create a service SAS"),
		// and personal access tokens of DevOps with their marker AZDO.
		rule.Token("azure-client-secret", "{q3}{d1}<Q~>{q31-34}"),
		rule.Token("azure-storage-key", "AccountKey={b86}=="),
		rule.Token("azure-shared-access", "sig={%43+}").Except("sig=0", "config=abc"),
		rule.Token("azure-devops-pat", "{a76}<AZDO>{a4}"),

		// Alibaba Cloud: AccessKey id and secret.
		rule.Token("alibaba-access-key-id", "LTAI{a20}"),
		Vendor("alibaba-secret-key", "alibaba", "{a30}"),

		// DigitalOcean: OAuth, personal and refresh tokens (API reference, "Authentication").
		rule.Token("digitalocean-oauth-token", "doo_v1_{x64}"),
		rule.Token("digitalocean-pat", "dop_v1_{x64}"),
		rule.FoldToken("digitalocean-refresh-token", "dor_v1_{x64}"),

		// Databricks and ClickHouse Cloud.
		rule.Token("databricks-api-token", "dapi{h32}-{d1}", "dapi{h32}"),
		rule.ExactToken("clickhouse-cloud-api-secret-key", "4b1d{a38}"),

		// Cloudflare: origin CA keys (API documentation, "Origin CA keys"), API tokens and global keys.
		rule.Token("cloudflare-origin-ca-key", "v1.0-{x24}-{x146}"),
		Vendor("cloudflare-api-key", "cloudflare", "{k40}", "{x37}"),

		// Fly.io (macaroons) and Heroku (Platform API reference, "OAuth").
		rule.Token("flyio-access-token", "fo1_{k43}", "fm1a_{b100+}", "fm1r_{b100+}", "fm2_{b100+}"),
		Vendor("heroku-api-key", "heroku", uuid),
		rule.Token("heroku-key", "HRKU-AA{k58}"),
	}
}

// infrastructureRules finds tokens of infrastructure tools, observability and identity. glc_ in
// either case once matched functions of OpenGL code.
func infrastructureRules() []rule.Rule {
	return []rule.Rule{
		// HashiCorp: Terraform Cloud, and Vault since 1.10 (Vault documentation, "Tokens", token prefixes).
		rule.LooseToken("hashicorp-tf-api-token", "{a14}<.atlasv1.>{s60-70}"),
		rule.Token("vault-service-token", "hvs.{k24+}", "hvr.{k24+}"),
		rule.Token("vault-batch-token", "hvb.{k24+}"),
		vaultLegacy(),

		// Dynatrace ("Access tokens", token format), Datadog and New Relic ("New Relic API keys").
		rule.Token("dynatrace-api-token", "dt0c01.{a24}.{a64}"),
		Vendor("datadog-access-token", "datadog dd_api dd_app", "{a40}", "{x32}"),
		Vendor("new-relic-user-api-id", "newrelic new-relic new_relic", "{a64}"),
		rule.FoldToken("new-relic-browser-api-token", "NRJS-{x19}"),
		rule.FoldToken("new-relic-insert-key", "NRII-{n32}"),
		rule.FoldToken("new-relic-user-api-key", "NRAK-{a27}"),

		// Grafana: API keys, which are base64 of JSON, cloud policies and service accounts.
		rule.FoldToken("grafana-api-key", "eyJrIjoi{a60-420}"),
		rule.TokenOf("grafana-cloud-api-token", rule.Format{Fold: true}, lex.Random, []string{"glc_{b32-420}"}).
			Except("GLC_StateBeginUnderwaterAliasModelCaustics(texture_ref)"),
		rule.FoldToken("grafana-service-account-token", "glsa_{a32}_{x8}"),

		// Okta, 1Password service accounts and secret keys ("1Password Security Design"), age identities (the
		// age format specification), OpenShift OAuth tokens.
		Vendor("okta-access-token", "okta", "00{s40}"),
		rule.Token("onepassword-service-account-token", "ops_eyJ{b100+}"),
		rule.Token("onepassword-secret-key", "A3-{u6}-{u11}-{u5}-{u5}-{u5}", "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"),
		rule.Token("encryption-identity", "AGE-SECRET-KEY-1{u58}"),
		rule.LooseToken("openshift-user-token", "sha256~{k43}"),
	}
}

// hostedServiceRules finds the tokens of hosted databases, networks, content delivery, feature
// flags and Yandex Cloud, and the credentials in Kubernetes manifests.
func hostedServiceRules() []rule.Rule {
	return []rule.Rule{
		// PlanetScale: service tokens, OAuth tokens and passwords.
		rule.Token("planet-db-token", "pscale_tkn_{p32-64}"),
		rule.Token("planet-db-grant", "pscale_oauth_{p32-64}"),
		rule.FoldToken("planet-db-password", "pscale_pw_{p32-64}"),

		// MaxMind ("License keys", with the suffix _mmk), Confluent, Cisco Meraki, Fastly and Netlify.
		rule.LooseToken("maxmind-license-key", "{a6}_{a29}<_mmk>"),
		Vendor("confluent-secret", "confluent", "{a16}", "{a64}"),
		Vendor("cisco-meraki-api-key", "meraki", "{x40}"),
		Vendor("fastly-api-token", "fastly", "{s32}"),
		Vendor("netlify-access-token", "netlify", "{s40-46}"),
		rule.Token("netlify-pat", "nfp_{a36+}"),

		// LaunchDarkly: access tokens, and SDK, mobile and API keys.
		Vendor("launchdarkly-access-token", "launchdarkly", "{s40}"),
		rule.Token("launchdarkly-key", "sdk-"+uuid, "mob-"+uuid, "api-"+uuid),

		// Sumo Logic, Algolia, Defined Networking, and clients of an access service that marks keys
		// with .acc_.
		Vendor("sumologic-access-key", "sumo", "su{a12}", "{a64}"),
		Vendor("algolia-api-key", "algolia", "{a32}"),
		rule.FoldToken("defined-networking-api-token", "dnkey-{s26}-{s52}"),
		rule.Token("service-client-access-key",
			"{a2-8}_{a5-30}.{a4-6}<.acc_>{n10-32}.{y30-120}", "{a2-8}_{a5-30}.{a4-6}<.acc->{n10-32}.{y30-120}"),

		// Yandex Cloud: IAM tokens, API keys and static keys (Yandex Cloud documentation, "IAM token").
		rule.Token("yandex-access-token", "t1.{k4-300}{e0-2}.{k86}{e0-2}"),
		Vendor("yandex-cloud-token", "yandex", "t1.{k1-300}{e0-2}.{k86}{e0-2}"),
		rule.FoldToken("yandex-api-key", "AQVN{k35-38}"),
		Vendor("yandex-aws-access-token", "yandex", "yc{k38}"),

		// A JSON Web Token that was encoded in base64 again, as in a Kubernetes Secret; and that
		// Secret itself.
		rule.Token("jwt-base64", "ZXlK{y40+}"),
		kubernetesSecret(),
	}
}
