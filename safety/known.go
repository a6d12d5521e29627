package safety

import (
	"bufio"
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
			r.anchors = append(r.anchors, v)
		}
	}
	return r
}
