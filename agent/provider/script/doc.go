// Package script is a model that replays a script, with tools that answer as
// the script says. It is for goldens, and for whoever wants to see a case.
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
// A step calls tools (tool_calls, with a narrative or without), answers (text)
// or is a failure of the provider (error); each may have a delay_ms. Calls may
// name tools that the script does not have: built-in ones, or none at all. The
// tools in deny are those a policy rejects.
//
// Each turn starts the script over. Which step is due follows from the
// conversation alone, so one Script serves any number of threads at once.
package script
