package mew

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/web/access"
)

func TestAFileOfSpacesIsRead(t *testing.T) {
	var users access.Tokens
	users.Add("ann", tokenFor("ann"))
	file := fmt.Sprintf(labSpace, true, tokenFor("human"), tokenFor("alpha"), tokenFor("beta"))
	all, err := ReadSpaces(strings.NewReader(file), users)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, "lab", all[0].Name)
	assert.Equal(t, "ann", all[0].Owner)
	assert.True(t, all[0].Clean)
	var want []safety.Secret
	for _, id := range []string{"alpha", "beta", "human"} {
		want = append(want, safety.Secret{Value: tokenFor(id), From: "the token of " + id + " in the space lab",
			Owners: []string{"ann", "ann\x00lab\x00" + id}})
	}
	assert.Equal(t, want, all.Secrets())
}

func TestAMistakeInAFileOfSpacesIsNamedByItsPlaceWithoutTheToken(t *testing.T) {
	var users access.Tokens
	users.Add("ann", tokenFor("ann"))
	a := tokenFor("a")
	inLab := func(participants string) string {
		return `{"spaces":{"lab":{"owner":"ann","participants":{` + participants + `}}}}`
	}
	for _, tt := range []struct{ name, file, says string }{
		{"no JSON", `spaces`, "the file: it has to be a JSON object"},
		{"a member that is not known", `{"space":{}}`, "there are spaces"},
		{"no spaces", `{}`, "spaces: it has to be a JSON object"},
		{"a space twice", `{"spaces":{"lab":{},"lab":{}}}`, "names nothing twice"},
		{"a name with a blank", `{"spaces":{"my lab":{}}}`, "spaces: a name has 1 to 64"},
		{"a misspelled member", `{"spaces":{"lab":{"onwer":"ann"}}}`, "spaces.lab: it has a member that is not known"},
		{"no owner", `{"spaces":{"lab":{}}}`, "spaces.lab.owner: it has to be a user"},
		{"an unknown owner", `{"spaces":{"lab":{"owner":"eve"}}}`, "spaces.lab.owner: it has to be a user"},
		{"clean as a text", `{"spaces":{"lab":{"owner":"ann","clean":"yes"}}}`, "spaces.lab.clean"},
		{"participants as a list", `{"spaces":{"lab":{"owner":"ann","participants":[]}}}`, "spaces.lab.participants"},
		{"a participant called system", inLab(`"system:x":{}`), "spaces.lab.participants: a name"},
		{"a misspelled token", inLab(`"p":{"tokn":"` + a + `"}`), "spaces.lab.participants.p: it has a member"},
		{"no token", inLab(`"p":{"capabilities":[]}`), "spaces.lab.participants.p.token"},
		{"a short token", inLab(`"p":{"token":"short","capabilities":[]}`), "at least 16 characters"},
		{"a token twice",
			inLab(`"p":{"token":"` + a + `","capabilities":[]},"q":{"token":"` + a + `","capabilities":[]}`),
			"spaces.lab.participants.q.token: it stands twice"},
		{"a user's token", inLab(`"p":{"token":"` + tokenFor("ann") + `","capabilities":[]}`),
			"p.token: it stands twice"},
		{"no capabilities", inLab(`"p":{"token":"` + a + `"}`), "p.capabilities: they have to be an array"},
		{"a pattern that is none", inLab(`"p":{"token":"` + a + `","capabilities":[{"kind":"chat"},{"kind":"a*"}]}`),
			"p.capabilities: entry 2"},
		{"too many capabilities", inLab(`"p":{"token":"` + a + `","capabilities":[{"kind":"x"}` +
			strings.Repeat(`,{"kind":"x"}`, maxCapabilities) + `]}`), "at most 64"},
		{"a file that is too large", strings.Repeat(" ", maxFile+1), "larger than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadSpaces(strings.NewReader(tt.file), users)
			require.ErrorContains(t, err, tt.says)
			assert.NotContains(t, err.Error(), a)
			assert.NotContains(t, err.Error(), tokenFor("ann"))
		})
	}
	many := `"p0":{}`
	for i := range maxParticipants {
		many += fmt.Sprintf(`,"q%d":{}`, i)
	}
	_, err := ReadSpaces(strings.NewReader(inLab(many)), users)
	require.ErrorContains(t, err, "at most 64")
	_, err = ReadSpaces(iotest.ErrReader(assert.AnError), users)
	assert.ErrorIs(t, err, assert.AnError)
}

func TestAUsersNameBecomesAParticipants(t *testing.T) {
	for user, want := range map[string]string{
		"ann": "ann", "ann smith": "ann-smith", "jörg": "j-rg", "system": "owner", "": "owner",
		strings.Repeat("x", 70): strings.Repeat("x", 64),
	} {
		assert.Equal(t, want, participantOf(user))
	}
}
