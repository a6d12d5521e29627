package openwop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
	"candor/web/openwop"
)

func TestTheMessagesThatANodeFoldedAreAChannelOfTheRun(t *testing.T) {
	const list = `[{"messageId":"m-1","from":"user"}]`
	log := recorded(t, session.Workflow{ID: "conformance-message-reducer"}, lead(
		session.NodeStarted{Node: "a", Type: "core.identity"},
		session.NodeEnded{Node: "a", Outputs: value(`{"payload":[2]}`)},
		session.NodeStarted{Node: "b", Type: "core.conformance.messages"},
		session.NodeEnded{Node: "b", Outputs: value(`{"messages":` + list + `}`)},
	))
	for _, v := range []openwop.View{{Version: openwop.V1, User: "ann"}, {Version: openwop.V2, User: "ann"}} {
		s := openwop.Snapshot(v, log[len(log)-1].Turn)
		assert.Len(t, s.Channels, 1)
		assert.JSONEq(t, list, string(s.Channels["messages"]))
		newSchemas(t).valid(t, v.Version, "run-snapshot", s)
		assert.Nil(t, openwop.Snapshot(v, log[3].Turn).Channels, "no node has folded messages yet")
	}
}
