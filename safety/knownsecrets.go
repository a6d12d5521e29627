package safety

import (
	"bufio"
	"io"
	"strings"
)

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
