package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"candor/agent"
	"candor/agent/provider/openai"
)

// A model on one's own machine needs an address and a name. Its reasoning is not part
// of the text.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `data: {"model":"qwen3:8b","choices":[{"delta":{"reasoning":"A greeting."}}]}

data: {"model":"qwen3:8b","choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}

data: [DONE]

`)
	}))
	defer server.Close()

	model, err := openai.New(openai.Options{BaseURL: server.URL + "/v1", Model: "qwen3:8b"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := model.Respond(context.Background(), agent.Request{
		Messages: []agent.Message{{Role: agent.RoleUser, Text: "Hi!"}},
	})
	fmt.Println(answer.Text, answer.Model, answer.Opaque, err)
	// Output: Hello. qwen3:8b [[opaque, 11 bytes]] <nil>
}

// FirstModel finds out what a server has where no model is named.
func ExampleFirstModel() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"gemma3"}]}`)
	}))
	defer server.Close()

	fmt.Println(openai.FirstModel(context.Background(), openai.Options{BaseURL: server.URL + "/v1"}))
	// Output: qwen3:8b <nil>
}
