package worker

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/agent"
	"candor/safety"
)

func TestOnlyAnEventThatTheServerRejectsIsReplaced(t *testing.T) {
	for status, refused := range map[int]bool{
		http.StatusBadRequest: true, http.StatusRequestEntityTooLarge: true, http.StatusUnprocessableEntity: true,
		http.StatusConflict: false, http.StatusTooManyRequests: false, http.StatusBadGateway: false, 0: false,
	} {
		assert.Equal(t, refused, isRefusal(&Error{Status: status, Code: "bad_batch"}), status)
		assert.False(t, isRefusal(&Error{Status: status, Code: "job_full"}), "a run that is full refuses any")
	}
	assert.False(t, isRefusal(ErrOver))
}

func TestAPromptIsCleanedInTheConversationOnceItIsAnswered(t *testing.T) {
	secret := "ghp" + "_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	prompt := "use " + secret
	l := &promptLoop{
		Runtime: &Runtime{Dispatcher: &agent.Dispatcher{Safety: safety.NewLayer()}},
		journal: &journal{seen: safety.NewSeenSecrets()},
	}
	l.history.messages = []agent.Message{
		{Role: agent.RoleUser, Text: "another"}, {Role: agent.RoleUser, Text: prompt},
		{Role: agent.RoleTool, Text: prompt},
	}
	l.endTurn(prompt)
	m := l.history.messages
	assert.Equal(t, "another", m[0].Text)
	assert.NotContains(t, m[1].Text, secret)
	assert.Equal(t, prompt, m[2].Text, "a result is what the loop has cleaned already")
}
