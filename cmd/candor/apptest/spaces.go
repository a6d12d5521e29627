package apptest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/web/access"
)

// SpacesFile writes a file of spaces with one, lab, which belongs to the local user. Each
// participant may say anything, and has the token that TokenOf gives a user of that name.
func SpacesFile(t testing.TB, participants map[string]bool) string {
	t.Helper()
	return SpacesFileOf(t, access.LocalUser, participants)
}

// SpacesFileOf is SpacesFile for a space of another user.
func SpacesFileOf(t testing.TB, owner string, participants map[string]bool) string {
	t.Helper()
	of := M{}
	for who := range participants {
		of[who] = M{"token": TokenOf(who), "capabilities": []M{{"kind": "*"}}}
	}
	file := filepath.Join(t.TempDir(), "spaces.json")
	body := JSON(t, M{"spaces": M{"lab": M{"owner": owner, "participants": of}}})
	require.NoError(t, os.WriteFile(file, body, 0o600))
	return file
}
