package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/gemini"
)

// TestAnOldSessionFileIsReadWholeOrNotAtAll has files that are half written, cut off, and too long.
func TestAnOldSessionFileIsReadWholeOrNotAtAll(t *testing.T) {
	whole := `{"sessionId":"s","projectHash":"h","messages":[{"id":"p","type":"user","content":"first"}]}`
	for name, tt := range map[string]struct {
		file               string
		growing            bool
		prompts, malformed int
		tooLong            int
	}{
		"whole":                        {whole, false, 1, 0, 0},
		"whole, and may be rewritten":  {whole, true, 1, 0, 0},
		"half written":                 {whole[:40], true, 0, 0, 0},
		"cut off":                      {whole[:40], false, 0, 1, 0},
		"empty":                        {"", false, 0, 0, 0},
		"without messages":             {`{"sessionId":"s","projectHash":"h"}`, false, 0, 1, 0},
		"too long":                     {whole + strings.Repeat(" ", 64<<20), false, 0, 0, 1},
		"a message that is no message": {strings.Replace(whole, "[{", "[7,{", 1), false, 1, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, prompts := gemini.NewOldReader(tt.growing), 0
			for s, err := range r.Read(strings.NewReader(tt.file)) {
				require.NoError(t, err)
				if s.Prompted != nil {
					prompts++
				}
			}
			got := []int{prompts, r.Report().Malformed, r.Report().TooLong}
			assert.Equal(t, []int{tt.prompts, tt.malformed, tt.tooLong}, got)
			read := int64(0)
			if prompts > 0 {
				read = int64(len(tt.file))
			}
			assert.Equal(t, read, r.Offset())
		})
	}
}
