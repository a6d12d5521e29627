package keyvalue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestANameIsJudgedByItsLastWords(t *testing.T) {
	for names, want := range map[string]KeyKind{
		"password passwd pwd DB_PASSWORD dbPassword db-password password1 password_2 PGPASSWORD adminpass root_pass passphrase":      Secret,
		"apiKey api_key API_KEY APIKey apikey X-API-Key x_api_key_value secretKey AWS_SECRET_ACCESS_KEY signing_key SharedAccessKey": Secret,
		"token accessToken refresh_token userJwt jwt GITHUB_TOKEN authtoken bearer clientSecret client_secret_prod credentials":      Secret,
		"key auth user_auth tokens": Weak,
		"author max_tokens token_count oauth_redirect_uri tokenizer keyboard monkey turkey compass bypass secretary passed":     Plain,
		"public_key primaryKey foreign_key sort-key next_page_token pageToken csrf_token secret_name password_policy token_url": Plain,
		"browserSessionId access_id authority passenger keyword id name  - 123 _":                                               Plain,
	} {
		for _, name := range strings.Split(names, " ") {
			assert.Equal(t, want, KindOfKey(name), "%q", name)
		}
	}
}

func TestJudgingANameAllocatesNothing(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(50, func() { KindOfKey("someLongServiceAccessToken_v2") }))
}

func TestWordsOfNamesAreKnownInAnyCase(t *testing.T) {
	for _, word := range strings.Fields("password Secrets APIKEY cookie signature") {
		assert.NotZero(t, KindOfWord(word)&(IsSecret|isWeak), word)
	}
}
