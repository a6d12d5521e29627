package rule

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASeverityIsReadInAnyCase(t *testing.T) {
	var s Severity
	require.NoError(t, s.UnmarshalText([]byte("MEDIUM")))
	assert.Equal(t, Medium, s)
	require.ErrorContains(t, s.UnmarshalText([]byte("grave")), "use one of low, medium, high, critical")
	assert.Equal(t, Medium, s, "an unknown name changes nothing")
}

func TestTheActionFollowsFromTheSeverity(t *testing.T) {
	for s, want := range map[Severity]Action{"": Redact, Low: Warn, Medium: Review, High: Redact, Critical: Block} {
		assert.Equal(t, want, (&Rule{Severity: s}).Action(), "%q", s)
	}
	assert.Equal(t, Sanitize, (&Rule{Severity: Medium, Neutralise: true}).Action())
}

func TestSeverityAndActionOfARuleAreChangedTogether(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from     Rule
		severity Severity
		action   Action
		want     Action
	}{
		{"nothing is changed", Rule{Severity: Low}, "", 0, Warn},
		{"a severity implies its action", Rule{Severity: Low}, Critical, 0, Block},
		{"an action implies its severity", Rule{Severity: Low}, "", Redact, Redact},
		{"an action can ask", Rule{Severity: High}, "", Review, Review},
		{"an action can warn", Rule{Severity: High}, "", Warn, Warn},
		{"a rule goes on to neutralise", Rule{Severity: Low, Neutralise: true}, Medium, 0, Sanitize},
		{"a rule that masks does not neutralise", Rule{Severity: Low, Neutralise: true}, High, 0, Redact},
		{"sanitize keeps a severity that leaves the text", Rule{Severity: Medium}, "", Sanitize, Sanitize},
		{"both agree", Rule{Severity: Low}, Critical, Block, Block},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.from.With(tt.severity, tt.action)
			require.NoError(t, err)
			assert.Equal(t, tt.want, r.Action())
		})
	}
	_, err := Rule{}.With(High, Sanitize)
	require.ErrorContains(t, err, "leaves it")
	_, err = Rule{}.With(Low, Block)
	require.ErrorContains(t, err, "contradict each other")
}

func TestATokenOfOneLengthIsFull(t *testing.T) {
	r := Token("t", "tok_{a20}")
	require.NotNil(t, r.IsFull)
	assert.True(t, r.IsFull("tok_"+"abcdefghij0123456789", 0))
	assert.False(t, r.IsFull("tok_"+"abcdefghij", 0))
	open := Token("t", "tok_{a20-40}")
	assert.False(t, open.IsFull("tok_"+"abcdefghij0123456789", 0), "a longer token may follow")
}
