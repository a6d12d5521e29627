//go:build realagents

package realtest

import "path/filepath"

// The calls that the plans ask for and that tests name.
const (
	readCall    = "call_one0a"
	listCall    = "call_one0b"
	exitCall    = "call_one1a"
	missingCall = "call_one1b"
	unknownCall = "call_one1c"
	agentCall   = "call_one2a"
	deniedCall  = "call_one2b"
	innerCall   = "call_sub0a"
	longCall    = "call_two0a"
	editCall    = "call_two1a"
	forkedCall  = "call_three0a"
)

// plans returns what the stand-in model says and asks for, by the word behind PLAN: in the latest prompt. The program
// works in a folder.
func plans(work string) map[string][]said {
	notes := filepath.Join(work, "notes.txt")
	made := asked{Tool: "bash", Input: object{"command": "echo made >> made.txt", "description": "Make a file"}}
	one, two, three := made, made, made
	one.ID, two.ID, three.ID = "call_write0a", "call_write0b", "call_write0c"
	return map[string][]said{
		"write": { // two equal calls that wait for a person
			{Text: "I make it.\nReason for bash: nobody has made it, yet.", Calls: []asked{one, two}},
			{Text: "Done."}},
		"again": { // and one after the other
			{Calls: []asked{one}}, {Calls: []asked{two}}, {Calls: []asked{three}}, {Text: "Done."}},
		"one": { // steps with calls side by side, three kinds of failure, a sub-agent and a call that is denied
			{Thought: "The notes may say it.", Text: "I will look at the notes and at the folder first.",
				Calls: []asked{{readCall, "read", object{"filePath": notes}},
					{listCall, "bash", object{"command": "ls", "description": "List the folder"}}}},
			{Text: "Now something\nthat fails.\n\nIt is <b>no</b> loss.", Calls: []asked{
				{exitCall, "bash", object{"command": "echo no such port >&2; exit 3",
					"description": "Look for the port"}},
				{missingCall, "read", object{"filePath": filepath.Join(work, "missing.txt")}},
				{unknownCall, "nosuch", object{"x": 1}}}},
			{Text: "Somebody else should look, too.", Calls: []asked{
				{agentCall, "task", object{"description": "Read the notes", "prompt": "PLAN:sub please",
					"subagent_type": "general"}},
				{deniedCall, "bash", object{"command": "touch denied", "description": "Make a file"}}}},
			{Text: "The port is 8080."}},
		"sub": {
			{Text: "I read the notes.", Calls: []asked{{innerCall, "read", object{"filePath": notes}}}},
			{Text: "They say 8080."}},
		"two": { // the session is resumed: a result that does not fit, an edit
			{Calls: []asked{{longCall, "bash", object{"command": "seq 1 20000", "description": "Count"}}}},
			{Text: "I write the other port.", Calls: []asked{
				{editCall, "edit", object{"filePath": notes, "oldString": "8080", "newString": "9090"}}}},
			{Text: "Counted."}},
		"three": { // the session is forked
			{Text: "Again.", Calls: []asked{
				{forkedCall, "bash", object{"command": "echo forked", "description": "Say it"}}}},
			{Text: "Forked."}},
	}
}
