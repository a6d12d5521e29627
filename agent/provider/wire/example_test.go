package wire_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"

	"candor/agent/provider/wire"
	"candor/agent/provider/wire/chat"
)

// A stream can be read raw, as a proxy forwards it, and decoded, as an agent needs
// it.
func ExampleClient_Stream() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `data: {"choices":[{"delta":{"reasoning_content":"The user greets me."}}]}

data: {"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}

data: [DONE]

`)
	}))
	defer server.Close()

	base, _ := url.Parse(server.URL + "/v1")
	client := wire.NewClient(base, http.Header{"Authorization": {"Bearer ..."}}, nil)
	body, _ := wire.Encode(chat.Request{Model: "qwen3:8b", Stream: true})
	for event, err := range client.Stream(context.Background(), chat.Path, body) {
		if err != nil {
			fmt.Println("failed:", err)
			return
		}
		if event.Done() {
			break
		}
		chunk, _ := chat.Decode(event.Data)
		delta := chunk.Choices[0].Delta
		fmt.Printf("%d bytes: reasoning %q, text %q\n", len(event.Data), delta.ReasoningContent, delta.Content)
	}
	// Output:
	// 68 bytes: reasoning "The user greets me.", text ""
	// 68 bytes: reasoning "", text "Hello."
}
