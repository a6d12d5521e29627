package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
)

// A package with a protocol of its own returns routes, and the server mounts them. They
// get authenticated callers, and their errors become answers.
func ExampleServer_Mount() {
	var tokens access.Tokens
	tokens.Add("ann", strings.Repeat("a", access.MinToken))
	srv := web.New(web.Options{
		Store: session.NewMemory(nil), Tokens: tokens, Log: slog.New(slog.DiscardHandler),
	})
	srv.Mount(web.Route{
		Method: http.MethodGet, Path: "/greet/:name",
		Serve: func(w http.ResponseWriter, r *http.Request, who access.Caller) error {
			if r.PathValue("name") != who.User {
				return problem.New(http.StatusNotFound, "no_such_user", "There is nobody of this name.")
			}
			return problem.WriteJSON(w, r, http.StatusOK, map[string]string{"hello": who.User})
		},
	})
	for _, path := range []string{"/greet/ann", "/greet/bob"} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
		r.Header.Set("Authorization", "Bearer "+strings.Repeat("a", access.MinToken))
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 200 {"hello":"ann"}
	// 404 {"error":"no_such_user","message":"There is nobody of this name.","details":{}}
}

// A route can authenticate requests itself, for instance by a token that is not a
// user's.
func ExampleRoute_admit() {
	srv := web.New(web.Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
	type doorKey struct{}
	srv.Mount(web.Route{
		Method: http.MethodGet, Path: "/door",
		Admit: func(r *http.Request) (context.Context, string, error) {
			if access.Bearer(r) != "sesame" {
				return nil, "", problem.Unauthorized
			}
			return context.WithValue(r.Context(), doorKey{}, "open"), "ann", nil
		},
		Serve: func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
			return problem.WriteJSON(w, r, http.StatusOK, r.Context().Value(doorKey{}))
		},
	})
	for _, word := range []string{"sesame", "please"} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/door", nil)
		r.Header.Set("Authorization", "Bearer "+word)
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 200
	// 401
}
