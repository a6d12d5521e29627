//go:build realagents

package realtest

// The calls that the plans ask for and that tests name, as the program's file has them. It writes the tool's name
// before the provider's id.
const (
	readCall   = "read_file__one0a"
	listCall   = "list_directory__one0b"
	failedCall = "read_file__one1a"
	agentCall  = "invoke_agent__one2a"
	shellCall  = "run_shell_command__two0a"
	exitCall   = "run_shell_command__two1b"
	editCall   = "replace__two1a"
)

// plans returns what the stand-in model says and asks for, by the word behind PLAN: in the latest prompt.
func plans() map[string][]said {
	return map[string][]said{
		"one": { // three steps: calls side by side, a failure, a sub-agent
			{Thoughts: []string{"**Looking at the notes** The notes may say it."},
				Text: "I will look at the notes and at the folder first.",
				Calls: []asked{
					{"one0a", "read_file", object{"file_path": "notes.txt"}},
					{"one0b", "list_directory", object{"dir_path": "."}}}},
			{Text: "Now something\nthat fails.\n\nIt is <b>no</b> loss.", Calls: []asked{
				{"one1a", "read_file", object{"file_path": "absent.txt"}}}},
			{Calls: []asked{
				{"one2a", "invoke_agent", object{"agent_name": "generalist", "prompt": "PLAN:sub please"}}}},
			{Thoughts: []string{"**Answering** It is clear."}, Text: "The port is 8080."}},
		"sub": {
			{Text: "I read the notes.", Calls: []asked{{"sub0a", "read_file", object{"file_path": "notes.txt"}}}},
			{Calls: []asked{{"sub1a", "complete_task", object{"result": object{"response": "They say 8080."}}}}}},
		"two": { // the session is resumed: the same call twice, a call without an id, an edit
			{Calls: []asked{
				{"two0a", "run_shell_command", object{"command": "seq 1 3", "description": "Count"}},
				{"two0b", "run_shell_command", object{"command": "seq 1 3", "description": "Count"}},
				{"", "read_file", object{"file_path": "notes.txt"}}}},
			{Text: "I write the other port.", Calls: []asked{
				{"two1b", "run_shell_command", object{"command": "echo no such port >&2; exit 3"}},
				{"two1a", "replace", object{"file_path": "notes.txt", "old_string": "8080", "new_string": "9090",
					"instruction": "Change the port."}}}},
			{Text: "Counted."}},
		"write": { // calls that wait for a person, equal ones side by side
			{Text: "I make the file.", Calls: []asked{
				{"write0a", "run_shell_command", object{"command": "echo made >> made.txt"}},
				{"write0b", "run_shell_command", object{"command": "echo made >> made.txt"}}}},
			{Text: "Done."}},
	}
}
