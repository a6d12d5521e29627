package app

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

func TestAnAnswerCostsWhatTheFileSays(t *testing.T) {
	p, err := readPrices(strings.NewReader(`{
		"gpt-5-mini": {"input": 0.25, "cached_input": 0.025, "output": 2},
		"gpt-5*": {"input": 1.25, "output": 10}, "gpt-5-mini-2025*": {"input": 0.5, "output": 0},
		"own": {"input": 0, "output": 0}, "dear": {"input": 999999.999999999, "output": 1}}`))
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		model string
		usage agent.Usage
		nanos int64
		known bool
	}{
		"by its whole name":            {"gpt-5-mini", agent.Usage{Input: 1e6, Output: 5e5}, 1_250_000_000, true},
		"with what was at hand":        {"gpt-5-mini", agent.Usage{Input: 1000, Cached: 900}, 25_000 + 22_500, true},
		"with more at hand than asked": {"gpt-5-mini", agent.Usage{Input: 1000, Cached: 9000}, 25_000, true},
		"by the longest beginning":     {"gpt-5-mini-2025-08-07", agent.Usage{Input: 10, Cached: 4}, 5_000, true},
		"by a beginning":               {"gpt-5-nano", agent.Usage{Output: 1}, 10_000, true},
		"nothing":                      {"own", agent.Usage{Input: 10, Output: 10}, 0, true},
		"a part of a nano-dollar":      {"dear", agent.Usage{Input: 1}, 1_000_000_000, true},
		"more than can be counted":     {"dear", agent.Usage{Input: math.MaxInt}, 0, false},
		"by no part of a name":         {"gpt-4", agent.Usage{Input: 10}, 0, false},
		"without a name":               {"", agent.Usage{Input: 10}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			nanos, known := p.cost(tt.model, tt.usage)
			assert.Equal(t, tt.known, known)
			if known {
				assert.Equal(t, tt.nanos, nanos)
			}
		})
	}
}

// Each of these would otherwise be a wrong sum on the page, for which nobody would look in a file.
func TestAFileOfPricesWithAMistakeStopsTheStart(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"empty":                   {"", "not JSON"},
		"cut":                     {`{"m": {"input": 1`, "not JSON"},
		"a list":                  {`[]`, "want an object"},
		"a price without members": {`{"m": 1}`, "want an object"},
		"a typing error":          {`{"m": {"input": 1, "outptu": 2}}`, `"outptu" is unknown`},
		"another case":            {`{"m": {"Input": 1, "output": 2}}`, `"Input" is unknown`},
		"no output":               {`{"m": {"input": 1}}`, "input and output are required"},
		"a negative number":       {`{"m": {"input": -1, "output": 2}}`, "input: want dollars per million tokens"},
		"a text":                  {`{"m": {"input": "1", "output": 2}}`, "want dollars per million tokens"},
		"a number beyond all":     {`{"m": {"input": 1e9, "output": 2}}`, "want dollars per million tokens"},
		"ten decimals":            {`{"m": {"input": 0.0000000001, "output": 2}}`, "at most nine decimals"},
		"a model twice":           {`{"m": {"input": 1, "output": 2}, "m": {}}`, `"m" occurs twice`},
		"a member twice":          {`{"m": {"input": 1, "input": 2, "output": 2}}`, `"input" occurs twice`},
		"a * within a name":       {`{"m*n": {"input": 1, "output": 2}}`, "* is allowed only at the end"},
		"a price for everything":  {`{"*": {"input": 1, "output": 2}}`, "* is allowed only at the end"},
		"something behind":        {`{} {}`, "text after the prices"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "prices.json")
			require.NoError(t, os.WriteFile(path, []byte(c.file), 0o600))
			_, err := ModelSettings{Prices: path}.costs()
			require.ErrorContains(t, err, c.says)
			assert.ErrorContains(t, err, "--prices "+path)
		})
	}
	_, err := ModelSettings{Prices: filepath.Join(t.TempDir(), "none")}.costs()
	require.ErrorContains(t, err, "--prices")
	none, err := ModelSettings{}.costs()
	require.NoError(t, err)
	assert.Nil(t, none)
}
