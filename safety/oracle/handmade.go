package oracle

import "strings"

// handmade holds texts for the rules of gitleaks whose expressions generate no usable
// ones: they need a command, a document or a file's name around the secret. secret is
// the secret's format as a regular expression; § is its place in each text.
var handmade = map[string]struct {
	secret string
	texts  []string
}{
	"curl-auth-header": {`[a-zA-Z0-9]{20,40}`, []string{
		`curl -H "Authorization: Bearer §" https://api.test/v1`,
		`curl -s -H 'Authorization: Token §' https://api.test`,
		`curl -X POST -H "X-Api-Key: §" https://api.test -d '{}'`,
		`curl --header "Authorization: §" https://api.test`, `curl https://api.test --header 'Api-Key: §'`,
		`curl -H "X-Auth-Token: §" https://api.test`, `curl -H "Token: §" https://api.test`,
		`curl -H "X-Goog-Api-Key: §" https://api.test`, `curl -H 'Key: §' https://api.test`,
		"curl https://api.test \\\n  -H \"Authorization: Api-Token §\"",
	}},
	"curl-auth-user": {`[a-zA-Z0-9]{12,24}`, []string{
		`curl -u bob:§ https://api.test`, `curl -u "bob:§" https://api.test`, `curl --user 'bob:§' https://api.test`,
		`curl https://api.test -u bob:§`, `curl -u ":§" https://api.test`,
		`curl --user=bob:§ https://api.test`, `curl -sS -X PUT -u bob:"§" https://api.test`,
		"curl https://api.test \\\n  -u bob:§\n",
	}},
	"facebook-access-token": {`[0-9]{15}[|%][a-zA-Z0-9_-]{27}`, []string{`facebook token = "§"`,
		"the facebook app token is § now", `{"facebook": "§"}`, "FACEBOOK_ACCESS_TOKEN=§"}},
	"jwt-base64": {`ZXlKaGJHY2lPaU[a-zA-Z0-9]{2}JIUzI1NiIsInR5cCI6IkpXVCJ9[a-zA-Z0-9]{60}`, []string{"token § in it",
		`jwt: "§"`, "X=§"}},
	"microsoft-teams-webhook": {`https://[a-z]{6}\.webhook\.office\.com/webhookb2/[a-z0-9]{8}-[a-z0-9]{4}-[a-z0-9]` +
		`{4}-[a-z0-9]{4}-[a-z0-9]{12}@[a-z0-9]{8}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{12}/` +
		`IncomingWebhook/[a-z0-9]{32}/[a-z0-9]{8}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{12}`,
		[]string{"post to §", `url = "§"`, `{"webhook":"§"}`, "TEAMS_URL=§"}},
	"sidekiq-secret": {`[a-f0-9]{8}:[a-f0-9]{8}`, []string{"BUNDLE_ENTERPRISE__CONTRIBSYS__COM=§",
		"export BUNDLE_GEMS__CONTRIBSYS__COM=§", `BUNDLE_GEMS__CONTRIBSYS__COM: "§"`,
		`bundle_enterprise__contribsys__com = "§"`}},
	"sidekiq-sensitive-url": {`[a-f0-9]{8}:[a-f0-9]{8}`, []string{"https://§@gems.contribsys.com/",
		"http://§@enterprise.contribsys.com/gems", `source "https://§@gems.contribsys.com"`}},
	"slack-webhook-url": {`https://hooks\.slack\.com/services/T[A-Z0-9]{8}/B[A-Z0-9]{8}/[a-zA-Z0-9]{24}`,
		[]string{"post to §", `url: "§"`, `{"hook":"§"}`, "SLACK=§"}},
	"slack-config-access-token": {`xoxe\.xoxb-1-[A-Z0-9]{163}`, []string{"the token § there", `token: "§"`, "X=§"}},
	"sonar-api-token": {`(squ_|sqp_|sqa_)[a-z0-9]{40}`, []string{`sonar.login = "§"`, "SONAR_TOKEN=§",
		"-Dsonar.token=§", `"sonar_token": "§"`, "sonar.login=§"}},
	"hashicorp-tf-password": {`[a-z0-9]{8}[0-9][a-z0-9]{7}`, []string{`administrator_login_password = "§"`,
		`password = "§"`}},
	"nuget-config-password": {`[a-zA-Z0-9]{12}`, []string{`<add key="ClearTextPassword" value="§" />`,
		`<add key="Password" value="§" />`}},
	"freemius-secret-key": {`sk_[a-zA-Z0-9]{29}`, []string{`'secret_key' => '§',`, `"secret_key" => "§"`}},
	"kubernetes-secret-yaml": {`[a-zA-Z0-9+/]{26}==`,
		[]string{"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  password: §\n",
			"kind: secret\ndata:\n  a.b: '§'\n", "data:\n  key: §\nkind: Secret\n"}},
}

// byHand returns n samples of a rule in handmade, using its texts in turn.
func byHand(id string, n int) []Sample {
	var out []Sample
	for k := range n {
		h := handmade[id]
		secret := Generate(h.secret, int64(k))
		text := strings.Replace(h.texts[k%len(h.texts)], "§", secret, 1)
		out = append(out, Sample{Rule: id, Secret: secret, Text: text})
	}
	return out
}
