package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestANameIsJudgedByItsLastWords(t *testing.T) {
	for names, want := range map[string]sense{
		"password passwd pwd DB_PASSWORD dbPassword db-password password1 password_2 PGPASSWORD adminpass root_pass passphrase":      secret,
		"apiKey api_key API_KEY APIKey apikey X-API-Key x_api_key_value secretKey AWS_SECRET_ACCESS_KEY signing_key SharedAccessKey": secret,
		"token accessToken refresh_token userJwt jwt GITHUB_TOKEN authtoken bearer clientSecret client_secret_prod credentials":      secret,
		"key auth user_auth tokens": weak,
		"author max_tokens token_count oauth_redirect_uri tokenizer keyboard monkey turkey compass bypass secretary passed":     plain,
		"public_key primaryKey foreign_key sort-key next_page_token pageToken csrf_token secret_name password_policy token_url": plain,
		"browserSessionId access_id authority passenger keyword id name  - 123 _":                                               plain,
	} {
		for _, name := range strings.Split(names, " ") {
			assert.Equal(t, want, judge(name), "%q", name)
		}
	}
}

func TestJudgingANameAllocatesNothing(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(50, func() { judge("someLongServiceAccessToken_v2") }))
}
