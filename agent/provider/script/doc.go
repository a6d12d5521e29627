// Package script implements agent.Provider by replaying a script, together with the
// tools that the script describes. It is deterministic and needs no network; golden
// files and demonstrations are made with it.
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
// A step calls tools (tool_calls, with or without a narrative), answers (text), or fails as a provider
// does (error). A tool returns a result, fails or panics, and may ask for approval ("approval": "ask").
// Steps and tools may have a delay_ms, at most ten minutes. The text of a step arrives in pieces of 16
// bytes, or of the sizes in "pieces": [5, 3] means five bytes and then three at a time; each takes
// "piece_ms". "sealed_bytes" is the size of the encrypted reasoning that came with the step, "summary" its
// provider's summary, and "stop" why the model stopped, in the word of a provider, such as max_tokens. After
// pause_turn the next step goes on. A call's "before" is the end of the narrative, if it stands before that
// call. Calls may
// name tools that the script does not describe: built-in ones, or none at all. deny lists the tools
// that a policy must reject. "agents" holds scripts of sub-agents, by the name of the tool that
// delegates to them.
//
// "turns" holds steps for particular messages, as in testdata/story/script.json: a turn whose
// message equals that of an entry gets the entry's steps.
//
//	"turns": [{"message": "What time is it?", "steps": [{"text": "Noon."}]}]
//
// A text may contain {{github_token}}, {{password}} and {{private_key}} instead of a credential. Load fills
// in generated values.
//
// # A story
//
// testdata/story is a conversation of 32 turns about a billing program, for screenshots, searches and
// tests that need more than a turn. script.json answers its messages, which are sent in their order in
// the file. The first turn has 36 calls; later ones delete a file, fail, are denied by a person
// (send_mail asks) or by a policy (drop_table), give no reason, reveal a secret, and let a sub-agent
// review. job.json has the posts of a worker to a job beside it. questions.json has 20 questions that
// people ask about the story, each with the turn, the tool and the object of the decision that answers
// it; strangers.json and unseen.json have 30 each, by an author who did not know the search.
// cmd/candor/questions_test.go plays the story and asks them.
//
// Load checks everything before anything runs: unknown members, steps that cannot be
// reached and tools without an outcome are errors that name the step or the tool.
//
// Each turn starts the script over. The conversation alone determines which step is
// due, so a Script has no state and serves any number of threads at once.
//
// Add a new member of the format to the structs of format.go, and its effect to
// script.go.
package script
