package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"candor/attach/settings"
	"candor/cmd/candor/terminal"
)

// healthTime is how long a server may take to say that it is there.
const healthTime = 2 * time.Second

// tokenToSet stands in what is left to do where a person has to set the token. It is printed as it is where nobody
// knows where the token is.
const tokenToSet = "export " + settings.TokenVariable + "=…"

// tokenLine returns the command that sets the token from a file, if it is there: that of --token-file, or the one that
// make run keeps in this folder.
func tokenLine(tokenFile string) string {
	// The agent may be started in any folder, so the path is absolute. One with an apostrophe is quoted as shells want
	// it, and the token itself is not printed.
	file, err := filepath.Abs(tokenFile)
	if err != nil {
		file = tokenFile
	}
	if _, err := os.Stat(file); err != nil {
		return tokenToSet
	}
	return fmt.Sprintf(`export %s="$(cat '%s')"`, settings.TokenVariable, strings.ReplaceAll(file, "'", `'\''`))
}

// printAway says that no server answers, if none does. Nothing else would say it, since hooks let the agent go on. The
// settings are written all the same: the server may be started later.
func (s attachSettings) printAway(ctx context.Context, w io.Writer) {
	if !s.undo && !s.answers(ctx) {
		fmt.Fprintf(w, "No Candor server answers at %s now: start it, or name another with --server.\n",
			terminal.CleanLine(s.url))
	}
}

// answers reports whether there is a server at the address that the hooks have. It sends no token, since it needs none
// to be told that, and whoever listens there may be somebody else.
func (s attachSettings) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	health := strings.TrimSuffix(s.url, "/") + "/api/health"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, health, http.NoBody)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // nothing is read of it
	return resp.StatusCode == http.StatusOK
}
