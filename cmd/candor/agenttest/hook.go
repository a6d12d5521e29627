package agenttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"candor/attach/settings"
	"candor/cmd/candor/command"
)

// Main runs the tests, or is the command of a hook if the arguments are those of candor hook. It posts what complete
// makes of the payload, and if the hook is one that asks for reasons replies what remind says. For hooks that wait for
// a person it is candor hook itself.
func Main(m *testing.M, complete func(payload []byte) []byte, remind func(payload []byte) any) {
	if len(os.Args) < 5 || os.Args[1] != "hook" {
		os.Exit(m.Run())
	}
	agent, flag, server := os.Args[2], os.Args[3], os.Args[len(os.Args)-1]
	if flag == "--approve" {
		args := append([]string{"candor"}, os.Args[1:]...)
		os.Exit(command.Execute(context.Background(), args, os.Stdin, os.Stdout, os.Stderr))
	}
	payload, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = post(server+"/api/hooks/"+agent, complete(payload))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	var reply any = struct{}{}
	if flag == "--ask-reasons" {
		reply = remind(payload)
	}
	_ = json.NewEncoder(os.Stdout).Encode(reply)
}

// post posts a payload as candor hook does.
func post(url string, payload []byte) error {
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv(settings.TokenVariable))
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		err = errors.New(reply.Status)
	}
	return errors.Join(err, reply.Body.Close())
}
