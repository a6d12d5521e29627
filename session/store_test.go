package session_test

import (
	"testing"

	"candor/session"
	"candor/session/sessiontest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	sessiontest.Run(t, func() session.Store { return session.NewMemory(nil) })
}
