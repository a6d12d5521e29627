package ui

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The page has five sizes of type, which base.css names.
func TestTypeHasFiveSizes(t *testing.T) {
	texts := sources(t, ".css")
	named := regexp.MustCompile(`--t\d: \d+px`).FindAllString(texts["css/base.css"], -1)
	assert.Equal(t, []string{"--t1: 12px", "--t2: 13px", "--t3: 15px", "--t4: 17px", "--t5: 24px"}, named)
	sized := regexp.MustCompile(`(?m)(?:font-size: ([^;]+);|font: (?:italic |\d+ )*([^ /;]+)[ /])`)
	for name, text := range texts {
		for _, m := range sized.FindAllStringSubmatch(text, -1) {
			assert.Regexp(t, `^(var\(--t[1-5]\)|inherit)?;?$`, m[1]+m[2], "%s: %s", name, m[0])
		}
	}
}
