package safety

// cloudRules are the keys of clouds, infrastructure and identity.
func cloudRules() []rule {
	return []rule{
		exactToken("aws-access-key-id", "AKIA{u16}", "ASIA{u16}", "ABIA{u16}", "ACCA{u16}", "A3T{u17}").
			but("AKIAIOSFODNN7"+"EXAMPLE", "AKIAVERYLONGWORDINCAPITALLETTERS"),
		awsSecret(),
		token("aws-foundation-model", "ABSK{b100-280}", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{b0+}"),
		token("google-api-key", "AIza{k35}"),
		token("google-oauth-token", "ya29.{k20+}"),
		token("google-client-secret", "GOCSPX-{k28}"),
		token("google-refresh-token", "1//0{k40+}"),
		token("azure-client-secret", "{q3}{d1}<Q~>{q31-34}"),
		token("azure-storage-key", "AccountKey={b86}=="),
		token("azure-shared-access", "sig={%43+}").but("sig=0", "config=abc"),
		token("azure-devops-pat", "{a76}<AZDO>{a4}"),
		token("alibaba-access-key-id", "LTAI{a20}"),
		vendor("alibaba-secret-key", "alibaba", "{a30}"),
		token("digitalocean-oauth-token", "doo_v1_{x64}"),
		token("digitalocean-pat", "dop_v1_{x64}"),
		foldToken("digitalocean-refresh-token", "dor_v1_{x64}"),
		token("databricks-api-token", "dapi{h32}", "dapi{h32}-{d1}"),
		exactToken("clickhouse-cloud-api-secret-key", "4b1d{a38}"),
		token("cloudflare-origin-ca-key", "v1.0-{x24}-{x146}"),
		vendor("cloudflare-api-key", "cloudflare", "{k40}", "{x37}"),
		token("flyio-access-token", "fo1_{k43}", "fm1a_{b100+}", "fm1r_{b100+}", "fm2_{b100+}"),
		vendor("heroku-api-key", "heroku", uuid),
		token("heroku-key", "HRKU-AA{k58}"),
		looseToken("hashicorp-tf-api-token", "{a14}<.atlasv1.>{s60-70}"),
		token("vault-service-token", "hvs.{k24+}", "hvr.{k24+}"),
		token("vault-batch-token", "hvb.{k24+}"),
		vaultLegacy(),
		token("dynatrace-api-token", "dt0c01.{a24}.{a64}"),
		vendor("datadog-access-token", "datadog dd_api dd_app", "{a40}", "{x32}"),
		vendor("new-relic-user-api-id", "newrelic new-relic new_relic", "{a64}"),
		foldToken("new-relic-browser-api-token", "NRJS-{x19}"),
		foldToken("new-relic-insert-key", "NRII-{n32}"),
		foldToken("new-relic-user-api-key", "NRAK-{a27}"),
		foldToken("grafana-api-key", "eyJrIjoi{a60-420}"),
		tokenOf("grafana-cloud-api-token", format{fold: true}, random, []string{"glc_{b32-420}"}).but("GLC_StateBeginUnderwaterAliasModelCaustics(texture_ref)"),
		foldToken("grafana-service-account-token", "glsa_{a32}_{x8}"),
		vendor("okta-access-token", "okta", "00{s40}"),
		token("onepassword-service-account-token", "ops_eyJ{b100+}"),
		token("onepassword-secret-key", "A3-{u6}-{u11}-{u5}-{u5}-{u5}", "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"),
		token("encryption-identity", "AGE-SECRET-KEY-1{u58}"),
		looseToken("openshift-user-token", "sha256~{k43}"),
		token("planet-db-token", "pscale_tkn_{p32-64}"),
		token("planet-db-grant", "pscale_oauth_{p32-64}"),
		foldToken("planet-db-password", "pscale_pw_{p32-64}"),
		looseToken("maxmind-license-key", "{a6}_{a29}<_mmk>"),
		vendor("confluent-secret", "confluent", "{a16}", "{a64}"),
		vendor("cisco-meraki-api-key", "meraki", "{x40}"),
		vendor("fastly-api-token", "fastly", "{s32}"),
		vendor("netlify-access-token", "netlify", "{s40-46}"),
		token("netlify-pat", "nfp_{a36+}"),
		vendor("launchdarkly-access-token", "launchdarkly", "{s40}"),
		token("launchdarkly-key", "sdk-"+uuid, "mob-"+uuid, "api-"+uuid),
		vendor("sumologic-access-key", "sumo", "su{a12}", "{a64}"),
		vendor("algolia-api-key", "algolia", "{a32}"),
		foldToken("defined-networking-api-token", "dnkey-{s26}-{s52}"),
		token("service-client-access-key",
			"{a2-8}_{a5-30}.{a4-6}<.acc_>{n10-32}.{y30-120}", "{a2-8}_{a5-30}.{a4-6}<.acc->{n10-32}.{y30-120}"),
		token("yandex-access-token", "t1.{k4-300}{e0-2}.{k86}{e0-2}"),
		vendor("yandex-cloud-token", "yandex", "t1.{k1-300}{e0-2}.{k86}{e0-2}"),
		foldToken("yandex-api-key", "AQVN{k35-38}"),
		vendor("yandex-aws-access-token", "yandex", "yc{k38}"),
		token("jwt-base64", "ZXlK{y40+}"),
		kubernetesSecret(),
	}
}

// awsSecret is the secret key that stands near an access key id.
func awsSecret() rule {
	return rule{
		id: "aws-secret-access-key", tier: tierContext, anchors: []string{"AKIA", "ASIA"}, reach: 190,
		hits:   []string{"AKIA{u16} {b40}", "id AKIA{u16}, secret: {b40}"},
		misses: []string{"AKIAIOSFODNN7" + "EXAMPLE 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e"},
		find: func(s string, at, end int) (int, int) {
			set := classes['b']
			if at > 0 && set[s[at-1]] {
				return 0, 0
			}
			i := classes['u'].run(s, at, 21)
			for stop := min(len(s)-40, at+139); i <= stop; {
				if from := set.back(s, i+40, 40); from > i {
					i = from
					continue
				}
				to := set.run(s, i+40, 140)
				if v := s[i : i+40]; to == i+40 && random(v) && look(v).upper > 0 {
					return i, to
				}
				i = to + 1
			}
			return 0, 0
		},
	}
}
