package access

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseTokensReadsUsersAndTokens(t *testing.T) {
	tokens, err := ParseTokens(strings.NewReader(
		"# people\n\nann: a-token-of-ann-0001\nbob:b-token-of-bob-0001:with-colon\n"))
	require.NoError(t, err)
	who, ok := tokens.Lookup("a-token-of-ann-0001")
	assert.True(t, ok)
	assert.Equal(t, Caller{User: "ann"}, who)
	who, _ = tokens.Lookup("b-token-of-bob-0001:with-colon")
	assert.Equal(t, Caller{User: "bob"}, who)
	for _, wrong := range []string{"", "a-token-of-ann-000", "A-TOKEN-OF-ANN-0001", "ann: a-token-of-ann-0001"} {
		_, ok := tokens.Lookup(wrong)
		assert.False(t, ok, "%q", wrong)
	}
}

func TestErrorsOfATokensFileNameTheLineButDoNotQuoteIt(t *testing.T) {
	for _, bad := range []string{"ann", "ann:", ":a-token-of-ann-0001", "ann:tooshort"} {
		_, err := ParseTokens(strings.NewReader("# first\n" + bad))
		require.Error(t, err)
		assert.Contains(t, err.Error(), "line 2")
		assert.NotContains(t, err.Error(), "tooshort")
	}
	_, err := ParseTokens(strings.NewReader("\n# nobody\n"))
	assert.Error(t, err)
	long := "ann:a-token-of-ann-0001\n# " + strings.Repeat("-", 1<<17) + "\nbob:b-token-of-bob-0001\n"
	_, err = ParseTokens(strings.NewReader(long))
	assert.Error(t, err, "the rest of the file cannot be read")
}

func TestTheShortestTokenHasSixteenCharacters(t *testing.T) {
	_, err := ParseTokens(strings.NewReader("ann:" + strings.Repeat("x", 15)))
	require.ErrorContains(t, err, "at least 16 characters")
	tokens, err := ParseTokens(strings.NewReader("ann:" + strings.Repeat("x", 16)))
	require.NoError(t, err)
	who, ok := tokens.Lookup(strings.Repeat("x", 16))
	assert.True(t, ok)
	assert.Equal(t, "ann", who.User)
}

func TestATokenCanBeLimitedToAReasoningLevel(t *testing.T) {
	tokens, err := ParseTokens(strings.NewReader(
		"ann:a-token-of-ann-0001 reasoning=summary\nbob:b-token-of-bob-0001\n"))
	require.NoError(t, err)
	who, ok := tokens.Lookup("a-token-of-ann-0001")
	assert.True(t, ok)
	assert.Equal(t, Caller{User: "ann", Reasoning: "summary"}, who)
	who, _ = tokens.Lookup("b-token-of-bob-0001")
	assert.Equal(t, Caller{User: "bob"}, who)
	for _, bad := range []string{"reasoning=some", "reasoning=", "reasoning=full reasoning=hidden"} {
		_, err := ParseTokens(strings.NewReader("ann:a-token-of-ann-0001 " + bad))
		require.ErrorContains(t, err, "line 1")
	}
	value := SignerOf("a-token-of-ann-0001").Cookie(NewLogin("ann", time.Now()))
	_, ok = tokens.Verify(value, time.Now())
	assert.False(t, ok, "and it is good for no login, which would show all")
}

func TestTheZeroTokensAdmitNobody(t *testing.T) {
	var none Tokens
	_, ok := none.Lookup("")
	assert.False(t, ok)
	none.Add("ann", "")
	_, ok = none.Lookup("")
	assert.False(t, ok, "a request without a token is nobody's")
}

func TestATokenIsReadFromABearerHeaderOnly(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "Bearer secret": "secret", "bearer  secret ": "secret", "Basic secret": "", "secret": "", "Bearer": "",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", header)
		assert.Equal(t, want, Bearer(r), "%q", header)
	}
}
