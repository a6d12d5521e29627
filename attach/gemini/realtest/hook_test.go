package realtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"candor/attach/gemini"
	"candor/cmd/candor/command"
)

// TestMain is the hook's command if the program runs the test as one, with the arguments of candor hook, and else runs
// the tests. For hooks that wait for a person it is candor hook.
func TestMain(m *testing.M) {
	if len(os.Args) >= 5 && os.Args[1] == "hook" && os.Args[2] == "gemini" {
		if os.Args[3] == "--approve" {
			args := append([]string{"candor"}, os.Args[1:]...)
			os.Exit(command.Execute(context.Background(), args, os.Stdin, os.Stdout, os.Stderr))
		}
		payload, err := io.ReadAll(os.Stdin)
		if err == nil {
			err = pass(os.Args[len(os.Args)-1], payload)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		var reply any = struct{}{}
		if os.Args[3] == "--ask-reasons" {
			reply = gemini.Remind(payload)
		}
		_ = json.NewEncoder(os.Stdout).Encode(reply)
		return
	}
	os.Exit(m.Run())
}

// pass posts a hook as candor hook does.
func pass(server string, payload []byte) error {
	payload = gemini.WithTurn(payload, func(path string) (io.ReadSeekCloser, error) { return os.Open(path) })
	r, err := http.NewRequest(http.MethodPost, server+"/api/hooks/gemini", bytes.NewReader(payload))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("CANDOR_TOKEN"))
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
