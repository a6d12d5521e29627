package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"candor/agent/provider/retry"
)

// listTime bounds how long a server may take to list its models.
const listTime = 10 * time.Second

// FirstModel is the first model that a server lists at /models. Its errors say what
// happened without the server's words.
func FirstModel(ctx context.Context, o Options) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(o.BaseURL, "/")+"/models", nil)
	if err != nil {
		return "", errors.New("the base URL is no URL") // it may hold a key
	}
	if key := strings.TrimSpace(o.Key); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := retry.Client(o.Transport).Do(req)
	if err != nil {
		return "", errors.New("there was no answer")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("it answered with status %d", resp.StatusCode)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&list); err != nil {
		return "", errors.New("its answer was no list of models")
	}
	if len(list.Data) == 0 || list.Data[0].ID == "" {
		return "", errors.New("the list is empty")
	}
	return list.Data[0].ID, nil
}
