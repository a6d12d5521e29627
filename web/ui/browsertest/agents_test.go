package page_test

import "testing"

func TestASubAgentIsShownByNameModelAndEffort(t *testing.T) {
	s := startServer(t, "--delegate", "--effort", "high")
	hand := func(task string) call { return call{"delegate", map[string]any{"task": task}, "two eyes see more"} }
	s.on("look together", reply{Calls: []call{hand("look left"), hand("look right")}}, reply{Text: "Both looked."})
	s.on("look left", callLook("left", "it is there"), reply{Text: "Nothing at the left."})
	s.on("look right", reply{Text: "Nothing at the right."})
	s.say("ann", "", "look together")
	w := window(t).open(s, "ann")
	w.shows("candor-agent .agent-head", "helper")
	w.shows("candor-agent .agent-head", "test-model · effort high · ")
	w.until("each has a name of its own", `[...document.querySelectorAll('candor-agent .agent-head b')]
		.map((b) => b.textContent).sort().join() === 'helper,helper 2'`)
	w.until("the caller has a name, too", `[...document.querySelectorAll('candor-agent .handoff .who')]
		.map((el) => el.textContent).includes('Main agent → helper 2')`)
	w.until("and no agent is called by its number",
		`!document.querySelector('candor-turn').textContent.includes('delegate_')`)
	w.picture("agents.png")
	w.clean()
}
