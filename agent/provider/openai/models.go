package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"candor/agent/provider/wire"
)

const (
	// maxListTime is how long a server may take to list its models.
	maxListTime = 10 * time.Second
	// maxList is how many bytes of that list are read.
	maxList = 1 << 20
)

// FirstModel returns the first model that the server of o lists at /models. Its
// errors say what happened without the server's words, which may hold the key.
func FirstModel(ctx context.Context, o Options) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, maxListTime)
	defer cancel()
	client, _, err := o.client()
	if err != nil {
		return "", err
	}
	resp, err := client.Get(ctx, "models")
	if refused, ok := errors.AsType[*wire.StatusError](err); ok {
		return "", unlisted(refused.Status)
	}
	if err != nil {
		return "", errors.New("there was no answer")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", unlisted(resp.StatusCode)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxList)).Decode(&list); err != nil {
		return "", errors.New("its answer was no list of models")
	}
	if len(list.Data) == 0 || list.Data[0].ID == "" {
		return "", errors.New("the list is empty")
	}
	return list.Data[0].ID, nil
}

// unlisted is the error for a status that brings no list.
func unlisted(status int) error { return fmt.Errorf("it answered with status %d", status) }
