package safety

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
)

// minKnown is the shortest known value that is masked: a shorter one would mask
// ordinary words.
const minKnown = 4

// KnownSecrets makes a layer mask these values wherever they stand, as they are
// or encoded. Values of fewer than four bytes are left out.
func KnownSecrets(values ...string) Option {
	return func(l *Layer) { l.known = append(l.known, values...) }
}

// ReadSecrets reads known values from a file of one value a line. Empty lines
// and lines that start with # are skipped, and spaces around a value.
func ReadSecrets(r io.Reader) ([]string, error) {
	var values []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if v := strings.TrimSpace(lines.Text()); v != "" && v[0] != '#' {
			values = append(values, v)
		}
	}
	return values, lines.Err()
}

// knownRule finds the known values. A value that is part of every marker cannot
// be masked by one.
func knownRule(values []string) rule {
	r := rule{id: "known-secret", tier: tierBlock, find: whole}
	for _, v := range values {
		if v = strip(v); len(v) >= minKnown && !strings.Contains("[REDACTED:", v) && !strings.Contains(v, "[REDACTED") {
			r.anchors = append(append(r.anchors, v), encodings(v)...)
		}
	}
	return r
}

// minEncodable is the shortest known value that is looked for in encoded form
// where the whole is too short for it to be decoded.
const minEncodable = 6

// encodings are a value in hex, and what base64 makes of it at each of the three
// places it may have among other bytes.
func encodings(v string) []string {
	if len(v) < minEncodable {
		return nil
	}
	inHex := hex.EncodeToString([]byte(v))
	out := []string{inHex, strings.ToUpper(inHex)}
	for before := range 3 {
		padded := make([]byte, before, before+len(v))
		// Characters that also carry bits of what stands around are left out.
		from, to := (before*8+5)/6, (before+len(v))*8/6
		for _, enc := range [...]*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			out = append(out, enc.EncodeToString(append(padded, v...))[from:to])
		}
	}
	return out
}
