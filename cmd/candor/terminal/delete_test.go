//go:build unix

package terminal_test

import (
	"testing"

	"candor/cmd/candor/apptest"
)

// A line that is no yes keeps the thread, and is not sent as a message.
func TestAThreadIsDeletedOnceThePersonSaysYes(t *testing.T) {
	c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script",
		apptest.Script(t, apptest.TurnsDir(t, "no-tools")))
	c.prompt("leaves.")
	c.say("/delete")
	c.until("so there is nothing to delete.")
	c.say("thanks")
	c.prompt("You're welcome!")
	c.say("/delete")
	c.until("? Delete thanks, 1 turn, for good?")
	c.until("y/n ›")
	c.say("no")
	c.until("Nothing is deleted.")
	c.say("/threads")
	c.until("1 turn, now")
	c.say("/delete 1")
	c.until("› /delete 1\n  ? Delete thanks, 1 turn, for good?")
	c.say("y")
	c.until("✓ Deleted.")
	c.say("/threads")
	c.until("There is no conversation yet.")
	c.leave()
}
