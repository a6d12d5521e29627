package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"candor/agent"
	"candor/agent/provider/anthropic"
)

// The summary of a model's thinking is part of the response, apart from the text; the
// signed block is opaque.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `event: message_start
data: {"type":"message_start","message":{"model":"claude-sonnet-4-5"}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"A greeting."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Hello."}}

event: message_stop
data: {"type":"message_stop"}

`)
	}))
	defer server.Close()

	model, err := anthropic.New(anthropic.Options{BaseURL: server.URL, Model: "claude-sonnet-4-5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := model.Respond(context.Background(), agent.Request{
		Messages: []agent.Message{{Role: agent.RoleUser, Text: "Hi!"}},
	})
	fmt.Println(answer.Text, err)
	fmt.Println(answer.Summary, answer.Opaque)
	// Output:
	// Hello. <nil>
	// A greeting. [[opaque, 67 bytes]]
}
