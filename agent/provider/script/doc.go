// Package script implements agent.Provider by replaying a script, together with the
// tools that the script describes. It is deterministic and needs no network: goldens
// and demonstrations are made with it.
//
// A script is one JSON object:
//
//	{
//	  "steps": [
//	    {"narrative": "I look at the clock.", "tool_calls": [
//	      {"id": "c1", "name": "clock", "arguments": {}, "rationale": "The user wants the time."}]},
//	    {"text": "It is noon."}
//	  ],
//	  "tools": {
//	    "clock": {"result": "12:00"},
//	    "slow":  {"delay_ms": 50, "result": {"any": "JSON"}},
//	    "bad":   {"error": "what it fails with"},
//	    "boom":  {"panic": "what it panics with"}
//	  },
//	  "deny": ["danger"]
//	}
//
// A step calls tools (tool_calls, with or without a narrative), answers (text), or
// fails as a provider does (error). A tool returns a result, fails or panics, and may
// ask for approval ("approval": "ask"). Steps and tools may have a delay_ms, at most
// ten minutes. The text of a step comes in pieces of 16 bytes, or of the sizes in "pieces":
// [5, 3] means five bytes and then three at a time; each takes "piece_ms". "sealed_bytes" says how much
// encrypted reasoning came with the step. Calls may name
// tools that the script does not describe: built-in ones, or none at all. The tools in
// deny are those that a policy has to reject. "agents" holds scripts of sub-agents, by
// the name of the tool that delegates to them.
//
// "turns" holds steps for messages of their own, as in testdata/story/script.json: a turn whose
// message is that of an entry, letter by letter, has the entry's steps.
//
//	"turns": [{"message": "What time is it?", "steps": [{"text": "Noon."}]}]
//
// A text may have {{github_token}}, {{password}} and {{private_key}} in the place of a credential. Load fills
// in values that it makes up.
//
// # A story
//
// testdata/story is a conversation of 32 turns about a billing program, for screenshots, searches and
// whatever needs more than a turn. script.json answers its messages, which are sent in the order in
// which they stand there. Its first turn has 36 calls; later ones delete a file, fail, are
// denied by a person (send_mail asks) or by a policy (drop_table), give no reason, speak a secret, and
// let a sub-agent review. job.json has what a worker posts to a job beside it. questions.json has 20
// questions that people ask about all this, each with the turn, the tool and the object of the decision
// that answers it; strangers.json and unseen.json have 30 each by an author who did not know the search.
// cmd/candor/questions_test.go tells the story and asks them.
//
// Load checks everything before anything runs: unknown members, steps that cannot be
// reached and tools without an outcome are errors that name the step or the tool.
//
// Each turn starts the script over. Which step is due follows from the conversation
// alone, so a Script has no state and serves any number of threads at once.
//
// A new member of the format belongs in the structs of format.go, and what it does in
// script.go.
package script
