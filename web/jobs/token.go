package jobs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// tokens makes the tokens of runs, and reads them back. A token says whose job it is and which run, and
// is signed together with the job's id: nothing has to be kept for it, so it holds in each process with the
// same key.
type tokens struct{ key []byte }

// maxToken is the length of the longest token that is read, in bytes.
const maxToken = 4096

// of returns the token of a run: run.base64(user).base64(mac).
func (t tokens) of(job, user string, number int) string {
	mac := base64.RawURLEncoding.EncodeToString(t.mac(job, user, number))
	return strconv.Itoa(number) + "." + base64.RawURLEncoding.EncodeToString([]byte(user)) + "." + mac
}

func (t tokens) mac(job, user string, number int) []byte {
	mac := hmac.New(sha256.New, t.key)
	fmt.Fprintf(mac, "%d:%s%d:%s%d", len(job), job, len(user), user, number)
	return mac.Sum(nil)
}

// read returns whose job a token is for, and which run of it. ok is false for a token that [tokens.of] did not
// make for the job. It takes as long for a job that does not exist as for one that does.
func (t tokens) read(job, token string) (user string, number int, ok bool) {
	parts := strings.Split(token[:min(len(token), maxToken)], ".")
	if len(parts) != 3 {
		return "", 0, false
	}
	name, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", 0, false
	}
	if number, err = strconv.Atoi(parts[0]); err != nil {
		return "", 0, false
	}
	if want := t.of(job, string(name), number); !hmac.Equal([]byte(token), []byte(want)) {
		return "", 0, false
	}
	return string(name), number, true
}
