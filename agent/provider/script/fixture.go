package script

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"regexp"
	"strings"
)

// placeholder is what a script has in the place of a value that looks like a credential.
var placeholder = regexp.MustCompile(`\{\{(github_token|password|private_key)\}\}`)

// filledIn returns a script with a made-up value for each placeholder, the same wherever it stands. The
// values look like credentials and open nothing; they are made when a script is loaded, so that no file
// contains one.
func filledIn(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("{{")) {
		return raw
	}
	values := map[string][]byte{}
	for name, value := range madeUp() {
		quoted, _ := json.Marshal(value)                   // a text, which always encodes
		values["{{"+name+"}}"] = quoted[1 : len(quoted)-1] // it stands within a text of the script
	}
	return placeholder.ReplaceAllFunc(raw, func(found []byte) []byte { return values[string(found)] })
}

// madeUp returns new values of each kind, by name. Their forms are those that the safety layer knows, so a
// script shows what happens to a credential; their letters are random, so nobody can take one for real.
func madeUp() map[string]string {
	lower := strings.ToLower(rand.Text())
	dashes := strings.Repeat("-", 5)
	return map[string]string{
		"github_token": "ghp" + "_" + (rand.Text() + lower)[8:44],
		"password":     lower[:9] + "7" + rand.Text()[:8],
		"private_key": dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + "\n" + rand.Text() + "\n" + rand.Text() + "\n" +
			dashes + "END RSA PRIVATE " + "KEY" + dashes,
	}
}
