//go:build realagents

package realtest

// The calls that the plans ask for and that tests name.
const (
	readCall    = "toolu_one0a"
	listCall    = "toolu_one0b"
	failedCall  = "toolu_one1a"
	agentCall   = "toolu_one2a"
	refusedCall = "toolu_one2b"
	longCall    = "toolu_two0a"
	laterCall   = "toolu_two0b"
	editCall    = "toolu_two1a"
)

// plans returns what the stand-in model says and asks for, by the word behind PLAN: in the latest prompt.
func plans() map[string][]said {
	return map[string][]said{
		"one": { // three steps: calls side by side, a failure, a sub-agent and a call that nobody permits
			{Thinking: "The notes may say it.", Text: "I will look at the notes and at the folder first.",
				Calls: []asked{
					{readCall, "Read", object{"file_path": "notes.txt"}},
					{listCall, "Bash", object{"command": "ls", "description": "List the folder"}}}},
			{Thinking: "-", Text: "Now something\nthat fails.\n\nIt is <b>no</b> loss.", Calls: []asked{
				{failedCall, "Bash", object{"command": "echo no such port >&2; exit 3",
					"description": "Look for the port"}}}},
			{Text: "Somebody else should look, too.", Calls: []asked{
				{agentCall, "Agent", object{"description": "Read the notes", "prompt": "PLAN:sub please",
					"subagent_type": "general-purpose", "run_in_background": false}},
				{refusedCall, "WebFetch", object{"url": "http://127.0.0.1:9/", "prompt": "Read it"}}}},
			{Text: "The port is 8080."}},
		"sub": {
			{Text: "I read the notes.", Calls: []asked{{"toolu_sub0a", "Read", object{"file_path": "notes.txt"}}}},
			{Text: "They say 8080."}},
		"two": { // the session is resumed: a result that does not fit, a sub-agent in the background, an edit
			{Calls: []asked{
				{longCall, "Bash", object{"command": "seq 1 20000", "description": "Count"}},
				{laterCall, "Agent", object{"description": "Look later", "prompt": "PLAN:later please",
					"subagent_type": "general-purpose", "run_in_background": true}}}},
			{Text: "I write the other port.", Calls: []asked{
				{editCall, "Edit", object{"file_path": "notes.txt", "old_string": "8080", "new_string": "9090",
					"replace_all": false}}}}, // the program adds it where it is missing
			{Text: "Counted."}},
		"later": {
			{Calls: []asked{{"toolu_later0a", "Bash", object{"command": "echo later", "description": "Say it"}}}},
			{Text: "Later it is."}},
		"write": { // a call that nobody permits beforehand
			{Text: "I make the file.", Calls: []asked{{"toolu_write0a", "Bash",
				object{"command": "echo made > made.txt", "description": "Make the file"}}}},
			{Text: "Done."}},
		"three": { // the session is forked
			{Text: "Again.", Calls: []asked{
				{"toolu_three0a", "Bash", object{"command": "echo forked", "description": "Say it"}}}},
			{Text: "Forked."}},
	}
}
