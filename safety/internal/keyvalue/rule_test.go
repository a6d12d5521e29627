package keyvalue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/internal/lex"
	"candor/safety/internal/ruletest"
)

// valuesIn returns the values that the rule finds at the keywords of a text, each once.
func valuesIn(text string) (values []string) {
	seen := map[[2]int]bool{}
	eachKeyword(text, func(at, end int) {
		from, to := Rule().Match(text, at, end)
		if span := [2]int{from, to}; to > from && !seen[span] {
			seen[span] = true
			values = append(values, text[from:to])
		}
	})
	return values
}

func eachKeyword(text string, visit func(at, end int)) {
	for at := range text {
		for _, keyword := range Rule().Keywords {
			if lex.HasFold(text, at, keyword) {
				visit(at, at+len(keyword))
			}
		}
	}
}

func TestTheValueOfEveryExampleIsFound(t *testing.T) {
	for k, template := range examples {
		text := ruletest.Fill(template, uint64(k))
		assert.Len(t, valuesIn(text), 1, "%q", text)
	}
}

func TestNoCounterexampleHoldsAValue(t *testing.T) {
	for _, text := range counterexamples {
		assert.Empty(t, valuesIn(text), "%q", text)
	}
}

func TestOnlyTheValueIsFound(t *testing.T) {
	password := ruletest.Fill("{a14}", 8)
	for _, template := range []string{
		"password=§, then", "(password=§)", "password=§&user=bob", "password=§; Path=/", "password = '§'",
		`"password" : "§",`, "password => §", "--password=§ --user bob", "the password is §, I think",
		"password was §.",
		"password for the staging database is § now", "我的 password: §。", `setProperty("db.password", "§")`,
		`<add key="Password" value="§" />`, `{"name": "API_TOKEN", "value": "§"}`, "- name: API_TOKEN\n  value: §\n",
		"<key>token</key>\n<string>§</string>", "name=\"token\"\r\n\r\n§\r\n", `say \"password\": \"§\" now`,
		"password is now set to §", "x[\"token\"] = §", "token: str = '§'", "token → §", "password = (\"§\")",
		"token = $\"§\"", "password = rb'§'", "token: >-\n  §\n", "token — §",
	} {
		assert.Equal(t, []string{password}, valuesIn(strings.Replace(template, "§", password, 1)), "%q", template)
	}
}

func TestTheNameOfAnotherRuleIsLeftAlone(t *testing.T) {
	token := ruletest.Fill("{a24}", 3)
	assert.Empty(t, valuesIn("Authorization: "+token), "the header rule splits it into scheme and token")
	assert.Empty(t, valuesIn("/etc/passwd: "+token))
	assert.Empty(t, valuesIn(`strings.HasPrefix(e, "PWD=") || `+token), "the quote closes the string")
}

// Where more text could change a verdict, Open must say so: otherwise a stream would
// release the start of a credential before the rest has arrived.
func TestAStreamWaitsWhereAValueMayStillGrow(t *testing.T) {
	for k, template := range examples {
		text := ruletest.Fill(template, uint64(k))
		eachKeyword(text, func(at, end int) {
			from, to := Rule().Match(text, at, end)
			if to <= from {
				return
			}
			for cut := end; cut < len(text); cut++ {
				if f, n := Rule().Match(text[:cut], at, end); f != from || n != to {
					assert.True(t, Rule().Open(text[:cut], at, end), "%q", text[:cut])
				}
			}
		})
	}
}

func TestJudgingACandidateAllocatesNothing(t *testing.T) {
	text := ruletest.Fill("the password for the database is {a4}9{a4} and api_key: '{a20}'", 5)
	at := strings.Index(text, "key")
	assert.Zero(t, testing.AllocsPerRun(50, func() {
		matchName(text, 0, 4, 12, true)
		matchName(text, 0, at, at+3, true)
	}))
}
