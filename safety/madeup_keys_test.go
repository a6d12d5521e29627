package safety

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assembled returns the texts of a list in testdata, without its comments. The lists hold them in
// parts, so that no file of the repository seems to hold a live credential: parts are joined, and
// a*36 stands for 36 times a.
func assembled(t *testing.T, name string) (all []string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if line := scan.Text(); line != "" && line[0] != '#' {
			all = append(all, assemble(line))
		}
	}
	require.GreaterOrEqual(t, len(all), 40, name)
	return all
}

func assemble(line string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(line, " + ") {
		star := strings.LastIndexByte(part, '*')
		if n, err := strconv.Atoi(part[star+1:]); star > 0 && err == nil {
			part = strings.Repeat(part[:star], n)
		}
		b.WriteString(part)
	}
	return b.String()
}

// placements are where a person puts a key to try a redactor: § is its place. The first is a sentence.
var placements = []string{"I will use § for the call.", "the key is §", "`§`", "API_TOKEN=§", "api_token: \"§\"\n"}

func TestMadeUpKeysAreMasked(t *testing.T) {
	l := plainLayer()
	for _, key := range assembled(t, "madeup_keys.txt") {
		_, secret, scheme := strings.Cut(key, "earer ")
		if !scheme {
			secret = key
		}
		for _, placement := range placements {
			out, _ := l.Mask(strings.Replace(placement, "§", key, 1))
			assert.Regexp(t, `\[REDACTED:[a-z-]+\]`, out.String())
			assert.NotContains(t, out.String(), secret[len(secret)-8:], "%s in %q", key, placement)
			assert.NotContains(t, out.String(), secret[:min(12, len(secret))], "%s in %q", key, placement)
		}
		out, _ := l.CleanJSON([]byte(`{"token": "` + key + `", "note": "with ` + key + `"}`))
		assert.NotContains(t, string(out.Raw()), secret[len(secret)-8:], "%s in JSON", key)
	}
}

func TestTextsThatCannotBeKeysAreKept(t *testing.T) {
	l := plainLayer()
	for _, text := range assembled(t, "not_keys.txt") {
		where := placements
		if short, found := strings.CutPrefix(text, "cut: "); found {
			text, where = short, placements[:1] // beside a name, a short value may be a password
		} else {
			field := `{"token":"` + text + `"}`
			out, _ := l.CleanJSON([]byte(field))
			assert.Equal(t, field, string(out.Raw()))
		}
		for _, placement := range where {
			text := strings.Replace(placement, "§", text, 1)
			out, report := l.Mask(text)
			assert.Equal(t, text, out.String())
			assert.NotEqual(t, Redacted, report.Verdict, text)
		}
	}
}

func TestGluedTokensLeaveNoResidue(t *testing.T) {
	if WithRaceDetector {
		t.Skip("slow with the race detector, and starts no goroutine; it runs without")
	}
	var keys []string
	for _, key := range assembled(t, "madeup_keys.txt") {
		if !strings.Contains(key, "earer ") {
			keys = append(keys, key)
		}
	}
	l := plainLayer()
	for _, first := range keys {
		for _, second := range keys {
			out, _ := l.Mask("the keys " + first + second + " are old")
			left := strings.TrimSuffix(strings.TrimPrefix(out.String(), "the keys "), " are old")
			for left != "" { // markers may stand side by side
				marker, rest, closed := strings.Cut(left, "]")
				closed = closed && strings.HasPrefix(marker, "[REDACTED:")
				assert.True(t, closed, "%s and %s became %s", first, second, out)
				if left = rest; !closed {
					break
				}
			}
		}
	}
}
