package secrets

import (
	"candor/safety/internal/rule"
)

// codeHostRules finds tokens of code hosts. Their prefixes are rare enough to count inside a word,
// as in a URL or a name that a token was appended to.
func codeHostRules() []rule.Rule {
	return []rule.Rule{
		// GitHub ("About authentication to GitHub", token formats). They have 36 letters and
		// digits; somebody who types one from memory misses a few.
		rule.LooseToken("github-pat", "ghp_{a30+}"),
		rule.LooseToken("github-oauth", "gho_{a30+}"),
		rule.LooseToken("github-app-token", "ghu_{a30+}", "ghs_{a30+}"),
		rule.LooseToken("github-refresh-token", "ghr_{a30+}"),
		rule.LooseToken("fine-grained-pat", "github_pat_{w40+}"),

		// GitLab ("GitLab token overview", token prefixes), and the cookie of its session. Routable
		// tokens carry a dot and nine characters of checksum.
		rule.LooseToken("gitlab-pat", "glpat-{k20}"),
		rule.LooseToken("gitlab-routable-pat", "glpat-{k27-300}.{l9}"),
		rule.LooseToken("gitlab-cicd-job-token", "glcbt-{a1-5}_{k20}"),
		rule.LooseToken("gitlab-deploy-token", "gldt-{k20}"),
		rule.LooseToken("gitlab-feature-flag-client-token", "glffct-{k20}"),
		rule.LooseToken("gitlab-feed-token", "glft-{k20}"),
		rule.LooseToken("gitlab-incoming-mail-token", "glimt-{k25}"),
		rule.LooseToken("gitlab-kubernetes-token", "glagent-{k50}"),
		rule.LooseToken("gitlab-oauth-app-secret", "gloas-{k64}"),
		rule.LooseToken("gitlab-ptt", "glptt-{x40}"),
		rule.LooseToken("gitlab-rrt", "GR1348941{k20}"),
		rule.LooseToken("gitlab-runner-authentication-token", "glrt-{k20}"),
		rule.LooseToken("gitlab-runner-authentication-token-routable", "glrt-t{d1}_{k27-300}.{l9}"),
		rule.LooseToken("gitlab-scim-token", "glsoat-{k20}"),
		rule.LooseToken("git-host-cookie", "_gitlab_session={l32}"),
	}
}

// registryRules finds tokens of package registries, and of the services that build, test and
// analyse code. ico- and API- begin words, so the rest must look generated.
func registryRules() []rule.Rule {
	return []rule.Rule{
		// npm ("About access tokens"), PyPI (Warehouse's macaroons, whose base64 always begins
		// alike), RubyGems and Clojars.
		rule.FoldToken("npm-token", "npm_{a30+}"),
		rule.LooseToken("python-registry-token", "pypi-AgEIcHlwaS5vcmc{k50+}", "pypi-AgENdGVzdC5weXBpLm9yZw{k50+}"),
		rule.Token("gem-registry-token", "rubygems_{x48}"),
		rule.FoldToken("maven-registry-token", "clojars_{a60}"),

		// Docker Hub, and JFrog Artifactory: API keys, and reference tokens, which are base64 of "reft".
		rule.Token("docker-pat", "dckr_pat_{k20+}", "dckr_oat_{k20+}"),
		rule.ExactToken("artifactory-api-key", "AKCp{a69}"),
		rule.ExactToken("artifactory-reference-token", "cmVmd{a59}"),
		Vendor("jfrog-token", "jfrog artifactory bintray xray", "{a73}", "{a64}"),

		// Atlassian: Bitbucket, API tokens, app passwords, and older tokens beside a product's name.
		Vendor("bitbucket-client-secret", "bitbucket", "{a32}", "{s64}"),
		rule.FoldToken("atlassian-cloud-token", "ATATT3{s100+}", "ATCTT3{s100+}"),
		rule.Token("atlassian-app-password", "ATBB{a28+}"),
		Vendor("atlassian-api-token", "atlassian confluence jira", "{a20}{x4}"),

		// Build services and scanners: Drone, Travis CI, Codecov, Snyk, SonarQube ("Managing tokens").
		Vendor("droneci-access-token", "droneci", "{a32}"),
		Vendor("travisci-access-token", "travis", "{a22}"),
		Vendor("codecov-access-token", "codecov", "{a32}", uuid),
		Vendor("snyk-api-token", "snyk", uuid),
		Vendor("sonar-api-token", "sonar", "{s40}", "squ_{s40}", "sqp_{s40}", "sqa_{s40}"),
		rule.Token("sonarqube-token", "squ_{x40}", "sqp_{x40}", "sqa_{x40}"),

		// Sourcegraph, Postman and ReadMe.
		rule.FoldToken("sourcegraph-access-token", "sgp_{x16}_{x40}", "sgp_local_{x40}", "sgp_{x40}"),
		Vendor("sourcegraph-legacy-token", "sourcegraph", "{x40}"),
		rule.Token("postman-api-token", "PMAK-{x24}-{x34}"),
		rule.Token("readme-api-token", "rdme_{l70}"),

		// Prefect, Pulumi, Infracost and Octopus Deploy.
		rule.Token("prefect-api-token", "pnu_{a36}"),
		rule.Token("pulumi-api-token", "pul-{h40}"),
		rule.RandomToken("infracost-api-token", "ico-{a32}"),
		rule.RandomToken("octopus-deploy-key", "API-{u26}"),
	}
}

// deliveryRules finds tokens of issue trackers, error trackers, delivery, private networks and hosting.
func deliveryRules() []rule.Rule {
	return []rule.Rule{
		// Linear and Notion.
		rule.Token("linear-api-key", "lin_api_{a40}", "lin_oauth_{a40+}"),
		Vendor("linear-client-secret", "linear", "{x32}"),
		rule.Token("notion-api-token", "ntn_{d11}{a35}", "secret_{a43}"),

		// Sentry: user and organization tokens; those of an organization hold JSON.
		rule.Token("error-tracker-token", "sntryu_{x64}"),
		rule.Token("error-tracker-org-token", "sntrys_eyJ{b20-600}{e0-2}_{b43}"),
		Vendor("sentry-access-token", "sentry", "{x64}"),

		// Scalingo, Harness, Tailscale ("Key prefixes") and Doppler ("Token formats").
		rule.Token("scalingo-api-token", "tk-us-{k48}"),
		rule.Token("harness-api-key", "pat.{k22}.{a24}.{a20}", "sat.{k22}.{a24}.{a20}"),
		rule.Token("tailscale-key", "tskey-{k20+}"),
		rule.Token(
			"doppler-token",
			"dp.pt.{a43}",
			"dp.st.{k20+}",
			"dp.ct.{a40+}",
			"dp.sa.{a40+}",
			"dp.scim.{a40+}",
			"dp.audit.{a40+}",
		),

		// SettleMint and the 42 intranet.
		rule.Token("settlemint-application-access-token", "sm_aat_{a16}"),
		rule.Token("settlemint-personal-access-token", "sm_pat_{a16}"),
		rule.Token("settlemint-service-access-token", "sm_sat_{a16}"),
		rule.Token("intra42-client-secret", "s-s4t2ud-{x64}", "s-s4t2af-{x64}"),

		// Supabase, Vercel, Figma, CircleCI and Buildkite.
		rule.Token("supabase-key", "sbp_{x40}", "sb_secret_{k20+}"),
		rule.Token("vercel-token", "vcp_{a24+}", "vck_{a24+}", "vca_{a24+}"),
		rule.Token("figma-token", "figd_{k36+}", "figo_{k36+}"),
		rule.Token("circleci-token", "CCIPAT_{a20+}_{x40}"),
		rule.Token("buildkite-token", "bkua_{a40}"),
	}
}
