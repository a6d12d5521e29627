package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"candor/web/client"
)

// demo serves one thread with one finished turn, as a Candor server answers.
func demo() *httptest.Server {
	mux := http.NewServeMux()
	answer := func(pattern, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	}
	answer("POST /api/chat/send", `{"thread_id":"t-1","turn_number":1,"state":"processing"}`)
	answer("GET /api/chat/events", "id: s-1\nevent: tool_started\n"+
		`data: {"type":"tool_started","thread_id":"t-1","name":"time","rationale":"the user asks for it"}`+
		"\n\nid: s-2\nevent: response\n"+
		`data: {"type":"response","thread_id":"t-1","turn_number":1,"content":"It is noon."}`+"\n\n")
	answer("GET /api/chat/history", `{"thread_id":"t-1","turns":[{"turn_number":1,"state":"completed",
		"user_input":"what time is it?","response":"It is noon.","reasoning":{"tool_decisions":
		[{"tool_name":"time","rationale":"the user asks for it","rationale_source":"model","outcome":"success"}]}}]}`)
	return httptest.NewServer(mux)
}

// A message is sent, its turn followed until the answer comes.
func ExampleClient_Events() {
	server := demo()
	defer server.Close()
	ctx := context.Background()
	c, err := client.New(server.URL, "your-token")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	sent, err := c.Send(ctx, "", "what time is it?")
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range c.Events(ctx, client.Stream{Threads: []string{sent.ThreadID}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e.Type {
		case "tool_started":
			fmt.Printf("%s: %s\n", e.Name, e.Rationale)
		case "response":
			fmt.Println(e.Content)
			return
		}
	}
	// Output:
	// time: the user asks for it
	// It is noon.
}

// The history of a thread has the reason for each call.
func ExampleClient_Turns() {
	server := demo()
	defer server.Close()
	c, err := client.New(server.URL, "your-token")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for turn, err := range c.Turns(context.Background(), "t-1") {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, d := range turn.Reasoning.Decisions {
			fmt.Printf("turn %d, %s (%s): %s\n", turn.Number, d.ToolName, d.Source, d.Rationale)
		}
	}
	// Output:
	// turn 1, time (model): the user asks for it
}

// What a server refuses comes back with the server's code and words.
func ExampleIs() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"no_thread","message":"You have no such thread."}`)
	}))
	defer server.Close()
	c, err := client.New(server.URL, "your-token")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	_, err = c.History(context.Background(), "t-9", client.MaxPage, "")
	fmt.Println(client.Is(err, "no_thread"), err)
	// Output:
	// true You have no such thread.
}
