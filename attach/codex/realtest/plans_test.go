//go:build realagents

package realtest

// The calls that the plans ask for and that tests name.
const (
	readCall   = "call_one0a"
	listCall   = "call_one0b"
	failedCall = "call_one1a"
	agentCall  = "call_one2a"
	patchCall  = "call_two0a"
	longCall   = "call_two0b"
	strayCall  = "call_two0c"
	lateCall   = "call_two1a"
	forkedCall = "call_two3a"
	badPatch   = "call_two5a"
	writeCall  = "call_write0a"
)

// agents is where the program has the tools for sub-agents.
const agents = "multi_agent_v1"

// patch returns a command that pipes a patch through the shell.
func patch(file string) string {
	return "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: " + file +
		"\n@@\n-port: 8080\n+port: 9090\n*** End Patch\nEOF"
}

// run returns a call of a command.
func run(id, command string) asked { return asked{id, "", "exec_command", object{"cmd": command}} }

// plans returns what the stand-in model says and asks for, by the word behind PLAN: in the latest prompt.
func plans() map[string][]said {
	wait := object{"targets": "@agents", "timeout_ms": 60_000}
	return map[string][]said{
		"one": { // steps with calls side by side, a failure and a sub-agent
			{Summary: "The notes may say it.", Text: "I will look at the notes and at the folder first.",
				Calls: []asked{run(readCall, "cat notes.txt"), run(listCall, "ls")}},
			{Summary: "-", Text: "Now something\nthat fails.\n\nIt is <b>no</b> loss.",
				Calls: []asked{run(failedCall, "echo no such port >&2; exit 3")}},
			{Text: "Somebody else should look, too.", Calls: []asked{
				{agentCall, agents, "spawn_agent", object{"message": "PLAN:sub please", "agent_type": "explorer"}}}},
			{Text: "I wait.", Calls: []asked{{"call_one3a", agents, "wait_agent", wait}}},
			{Text: "The port is 8080."}},
		"sub": {
			{Text: "I read the notes.", Calls: []asked{run("call_sub0a", "cat notes.txt")}},
			{Text: "They say 8080."}},
		"two": { // the session is resumed
			{Calls: []asked{run(patchCall, patch("notes.txt")), run(longCall, "seq 1 20000"),
				{strayCall, "", "nosuch_tool", object{"a": 1}}}},
			{Text: "This takes longer.", Calls: []asked{
				{lateCall, "", "exec_command", object{"cmd": "sleep 5; echo late", "yield_time_ms": 250}}}},
			{Calls: []asked{
				{"call_two2a", "", "write_stdin", object{"session_id": "@process", "yield_time_ms": 30_000}}}},
			{Text: "One that knows all of this.", Calls: []asked{
				{forkedCall, agents, "spawn_agent", object{"message": "PLAN:later please", "fork_context": true}}}},
			{Calls: []asked{{"call_two4a", agents, "wait_agent", wait}}},
			{Calls: []asked{run(badPatch, patch("missing.txt"))}},
			{Text: "Counted."}},
		"write": { // calls that wait for a person
			{Text: "I make the file.", Calls: []asked{
				{writeCall, "", "exec_command", object{"cmd": "echo made > made.txt"}}}},
			{Text: "Done."}},
		"send": {
			{Text: "Somebody else makes it.", Calls: []asked{
				{"call_send0a", agents, "spawn_agent", object{"message": "PLAN:write please"}}}},
			{Calls: []asked{{"call_send1a", agents, "wait_agent", wait}}},
			{Text: "Sent."}},
		"later": {
			{Calls: []asked{run("call_later0a", "echo later")}},
			{Text: "Later it is."}},
		"three": { // the session is forked
			{Text: "Again.", Calls: []asked{run("call_three0a", "echo forked")}},
			{Text: "Forked."}},
	}
}
