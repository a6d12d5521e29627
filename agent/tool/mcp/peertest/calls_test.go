package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/tool/mcp"
)

// callOne calls a tool with sample arguments. It must answer, also one that can only be called as a task.
func callOne(t *testing.T, one agent.Tool) {
	t.Helper()
	name := one.Spec().Name
	args, err := json.Marshal(sample(one.Spec().Schema))
	require.NoError(t, err)
	got, err := one.Run(t.Context(), args)
	require.NoError(t, err, "%s(%s)", name, args)
	assert.True(t, json.Valid(got), "%s: %s", name, got)
}

// sample returns a value that is valid against a schema.
func sample(s *jsonschema.Schema) any {
	switch {
	case s == nil:
		return nil
	case s.Type == "number" || s.Type == "integer":
		return 1 // small, since it may be a duration
	case s.Default != nil && !strings.Contains(string(s.Default), "http"):
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type {
	case "object":
		out := map[string]any{}
		for name, p := range s.Properties {
			if slices.Contains(s.Required, name) || p.Default != nil {
				out[name] = sample(p)
			}
		}
		return out
	case "boolean":
		return true
	case "array":
		return []any{}
	}
	// The only tool that fetches a URL accepts one that needs no network.
	if s.Format == "uri" || strings.Contains(strings.ToLower(s.Description), "url") {
		return "data:text/plain,hello"
	}
	return "hello"
}

// named returns the tool with a name, which must exist.
func named(t *testing.T, s *mcp.Servers, name string) agent.Tool {
	t.Helper()
	all := s.Tools()
	at := slices.IndexFunc(all, func(a agent.Tool) bool { return a.Spec().Name == name })
	require.GreaterOrEqual(t, at, 0, name)
	return all[at]
}

// long are the arguments of a call that would outlast the test binary's time limit.
var long = json.RawMessage(`{"duration":100000,"steps":1000}`)

func TestAServerKilledDuringACall(t *testing.T) {
	for way, open := range ways(t) {
		t.Run(way, func(t *testing.T) {
			e := open(t)
			s := connect(t, e)
			running, failed := named(t, s, "trigger-long-running-operation"), make(chan error, 1)
			go func() {
				_, err := running.Run(t.Context(), long)
				failed <- err
			}()
			select {
			case err := <-failed:
				require.NoError(t, err, "the call runs until the server is killed")
			case <-time.After(time.Second): // gives the call time to reach the server
			}
			e.kill()
			assert.ErrorContains(t, <-failed, "broke during this call")

			e.revive()
			echo := named(t, s, "echo")
			await(t, func() bool {
				got, err := echo.Run(t.Context(), json.RawMessage(`{"message":"again"}`))
				return err == nil && strings.Contains(string(got), "again")
			})
		})
	}
}

func TestAnInterruptEndsALongCall(t *testing.T) {
	for way, open := range ways(t) {
		t.Run(way, func(t *testing.T) {
			s := connect(t, open(t))
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := named(t, s, "trigger-long-running-operation").Run(ctx, long)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			_, err = named(t, s, "echo").Run(t.Context(), json.RawMessage(`{"message":"on"}`))
			assert.NoError(t, err, "the session goes on")
		})
	}
}
