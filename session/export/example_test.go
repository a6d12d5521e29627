package export_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
	"candor/session/export"
)

// aTurn is a turn with one call and its reason.
func aTurn() session.Turn {
	at := time.Date(2026, 2, 21, 10, 0, 0, 0, time.UTC)
	why := session.Rationale{Text: safety.Literal("The user wants the current time."), Source: session.FromModel}
	return session.Turn{
		Number: 1, State: session.Completed, CreatedAt: at, StartedAt: at, EndedAt: at.Add(2 * time.Second),
		Input: safety.Literal("what *time* is it?"), Response: safety.Literal("It is ten."),
		Steps: []session.Step{{Number: 1, Calls: []session.Call{{
			ID: "call_1", Tool: safety.Literal("time"), Rationale: why,
			Outcome: session.Success, Took: 3 * time.Millisecond,
		}}}},
	}
}

// Text of a user or a model is escaped, so its asterisks stay asterisks.
func ExampleMarkdown() {
	if err := export.Markdown(os.Stdout, export.Document{
		Title: safety.Literal("what *time* is it?"), Thread: "87d2dc67", Turns: []session.Turn{aTurn()},
		Omit: export.Omit{Parameters: true, Results: true},
	}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # what \*time\* is it?
	//
	// 1 turn of thread `87d2dc67`, with reasons.
	//
	// ## Turn 1
	//
	// 21 February 2026, 10:00:00 UTC · completed, 2.0 s
	//
	// **User**
	//
	// > what \*time\* is it?
	//
	// <details open>
	// <summary>Reasoning: 1 tool</summary>
	//
	// #### 1. `time`
	//
	// > The user wants the current time.
	//
	// 3 ms
	//
	// </details>
	//
	// **Answer**
	//
	// > It is ten.
}

// The page stands alone: no scripts, no links, no images.
func ExampleHTML() {
	var page strings.Builder
	err := export.HTML(&page, export.Document{Thread: "87d2dc67", Turns: []session.Turn{aTurn()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "<h") || strings.HasPrefix(line, `<p class="said`) {
			fmt.Print(line)
		}
	}
	// Output:
	// <html lang="en">
	// <head>
	// <header>
	// <h1>A conversation</h1>
	// <h2>Turn 1</h2>
	// <p class="said user">what *time* is it?</p>
	// <p class="said why">The user wants the current time.</p>
	// <h4><span class="dim">1.</span> <code><b>time</b></code></h4>
	// <h3>Answer</h3>
	// <p class="said">It is ten.</p>
}
