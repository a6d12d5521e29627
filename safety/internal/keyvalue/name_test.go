package keyvalue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheLastWordsOfANameDecideItsKind(t *testing.T) {
	for want, names := range map[KeyKind]string{
		Secret: "password passwd pwd DB_PASSWORD dbPassword db-password password1 password_2 PGPASSWORD " +
			"adminpass root_pass passphrase apiKey api_key API_KEY APIKey apikey X-API-Key " +
			"x_api_key_value secretKey AWS_SECRET_ACCESS_KEY signing_key SharedAccessKey token " +
			"accessToken refresh_token userJwt jwt GITHUB_TOKEN authtoken bearer clientSecret " +
			"client_secret_prod credentials pass_phrase seedPhrase max_token_old_new_prod_text_str",
		Weak: "key auth user_auth tokens",
		Plain: "author max_tokens token_count oauth_redirect_uri tokenizer keyboard monkey turkey " +
			"compass bypass secretary passed public_key primaryKey foreign_key sort-key next_page_token " +
			"pageToken csrf_token secret_name password_policy token_url browserSessionId access_id " +
			"authority passenger keyword id name  - 123 _ catch_phrase value max_token_old_new_prod",
	} {
		for _, name := range strings.Split(names, " ") {
			assert.Equal(t, want, KindOfKey(name), "%q", name)
		}
	}
}

func TestKindOfKeyAllocatesNothing(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(50, func() { KindOfKey("someLongServiceAccessToken_v2") }))
}

func TestWordsAreKnownInAnyCase(t *testing.T) {
	for _, word := range strings.Fields("password Secrets APIKEY cookie signature") {
		assert.NotZero(t, KindOfWord(word)&(IsSecret|isWeak), word)
	}
}
