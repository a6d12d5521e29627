package safety

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScanLinesAnswersEveryLineInOrder(t *testing.T) {
	key := githubPAT()
	in := `{"id":1,"text":"use ` + key + ` <b>"}` + "\n\n" + `{"id":"b","json":{"password":"open sesame","n":1.0}}` +
		"\n" +
		`{"id":3,"chunks":["say ` + key[:9] + `","` + key[9:] + ` now"]}` + "\n" + `{"id":4}` + "\n" + `nonsense` +
		"\n" + `{"id":5,"text":""}`
	var out bytes.Buffer
	require.NoError(t, NewLayer().ScanLines(strings.NewReader(in), &out))
	assert.Equal(t, []string{
		`{"id":1,"text":"use [REDACTED:github-pat] ` +
			`<b>","verdict":"redacted",` +
			`"findings":[{"rule":"github-pat","count":1,"severity":"high","effect":"masked"}]}`,
		`{"id":"b","text":"{\"password\":\"[REDACTED:secret-field]\",\"n\":1.0}",` +
			`"json":{"password":"[REDACTED:secret-field]","n":1.0},"verdict":"redacted",` +
			`"findings":[{"rule":"secret-field","count":1,"severity":"high","effect":"masked"}]}`,
		`{"id":3,"text":"say [REDACTED:github-pat] now","emitted":["say ","[REDACTED:github-pat] ` +
			`","now"],"verdict":"redacted",` +
			`"findings":[{"rule":"github-pat","count":1,"severity":"high","effect":"masked"}]}`,
		`{"id":4,"text":"","verdict":"error","findings":[],"error":"a line needs \"text\", \"json\" or \"chunks\""}`,
		`{"text":"","verdict":"error","findings":[],"error":"invalid character 'o' in literal null (expecting 'u')"}`,
		`{"id":5,"text":"","verdict":"passed","findings":[]}`,
	}, strings.Split(strings.TrimSpace(out.String()), "\n"))
}
