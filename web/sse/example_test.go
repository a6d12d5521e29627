package sse_test

import (
	"context"
	"fmt"
	"iter"
	"net/http/httptest"
	"strings"
	"time"

	"candor/web/sse"
)

// A source yields messages until its context ends. Serve frames and sends them.
func ExampleServer_Serve() {
	const session = "550e8400-e29b-41d4-a716-446655440000"
	source := func(context.Context) iter.Seq[sse.Message] {
		return func(yield func(sse.Message) bool) {
			for part := 1; part <= 2; part++ {
				id := sse.CursorAt(session, 7, part, 2)
				if !yield(sse.Message{ID: id, Name: "status", Data: fmt.Appendf(nil, `{"part":%d}`, part)}) {
					return
				}
			}
		}
	}
	w := httptest.NewRecorder()
	sse.NewServer(10*time.Second).Serve(w, httptest.NewRequest("GET", "/events", nil), source, func() {})
	for line := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(line, "retry:") { // a random time
			fmt.Print(line)
		}
	}
	// Output:
	// : candor
	// data: {"part":1}
	// event: status
	// id: 550e8400-7.1
	//
	// data: {"part":2}
	// event: status
	// id: 550e8400-7
}

// The cursor of an event inside a log event that became several frames.
func ExampleParseCursor() {
	c, ok := sse.ParseCursor("550e8400-7.1")
	fmt.Println(ok, c.Seq, c.Part)
	_, ok = sse.ParseCursor("17")
	fmt.Println(ok)
	// Output:
	// true 6 1
	// false
}
