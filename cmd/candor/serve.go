package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"candor/agent/provider/anthropic"
	"candor/agent/provider/openai"
	"candor/session"
	"candor/web/access"
)

func serveCommand() *cli.Command {
	var s settings
	return &cli.Command{
		Name:        "serve",
		Usage:       "run the agent loop and serve its sessions over HTTP",
		Description: serveDescription,
		Flags:       serveFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return fmt.Errorf("serve takes no argument but flags; see candor serve --help")
			}
			s.token = os.Getenv("CANDOR_TOKEN")
			return serve(ctx, s, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// serve runs the server until ctx ends, then stops it: no new turns, those that
// run get their time, streams send what they have, and nothing is left running.
func serve(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	log, err := newLogger(s, stderr)
	if err != nil {
		return err
	}
	tokens, fresh, err := loadTokens(s)
	if err != nil {
		return err
	}
	a, err := newApp(s, tokens, nil, log)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", s.addr)
	if err != nil {
		a.close(ctx)
		return err
	}
	announce(stdout, ln.Addr().String(), fresh, a.model, s)
	if a, ok := ln.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		log.Warn("listening beyond this machine without TLS: put a proxy with TLS in front", "addr", ln.Addr())
	}
	srv := &http.Server{Handler: a.web, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}

	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	wg.Go(func() {
		failed <- srv.Serve(ln)
		cancel()
	})
	wg.Go(func() { evictIdle(ctx, a.store, s.idle, log) })
	<-ctx.Done()
	return stop(a, srv, s.grace, failed, log)
}

// stop brings the server down within the grace it has.
func stop(a *app, srv *http.Server, grace time.Duration, failed <-chan error, log *slog.Logger) error {
	log.Info("stopping", "grace", grace)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	a.close(ctx)
	// Turns may have used up the grace; streams still get a moment of their own.
	last, cancelLast := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancelLast()
	if err := srv.Shutdown(last); err != nil {
		log.Warn("connections cut off", "error", err)
		srv.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// evictIdle drops idle sessions until ctx ends.
func evictIdle(ctx context.Context, store session.Store, idle time.Duration, log *slog.Logger) {
	tick := time.NewTicker(max(time.Second, min(10*time.Minute, idle/2)))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			n, err := store.Evict(ctx, time.Now().Add(-idle))
			if err != nil || n > 0 {
				log.Info("idle sessions dropped", "count", n, "error", err)
			}
		}
	}
}

func newLogger(s settings, w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return nil, fmt.Errorf("--log-level: %q is none of debug, info, warn, error", s.logLevel)
	}
	o := &slog.HandlerOptions{Level: level}
	switch s.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format: %q is neither text nor json", s.logFormat)
}

// loadTokens reads who may come in. fresh is a token that was made because none
// was configured, to be shown once.
func loadTokens(s settings) (t access.Tokens, fresh string, err error) {
	if s.tokensFile != "" {
		f, err := os.Open(s.tokensFile)
		if err != nil {
			return t, "", err
		}
		defer f.Close()
		if t, err = access.ParseTokens(f); err != nil {
			return t, "", fmt.Errorf("--tokens %s: %w", s.tokensFile, err)
		}
	}
	switch {
	case s.token != "" && len(s.token) < access.MinToken:
		return t, "", fmt.Errorf("CANDOR_TOKEN can be guessed: it needs at least %d characters", access.MinToken)
	case s.token != "":
		t.Add(access.LocalUser, s.token)
	case s.tokensFile == "":
		fresh = rand.Text()
		t.Add(access.LocalUser, fresh)
	}
	return t, fresh, nil
}

// announce tells a person where the server is and how to get in. The page's token
// stands behind the #, which browsers send to nobody.
func announce(w io.Writer, addr, fresh, model string, s settings) {
	fmt.Fprintf(w, "Candor serves at http://%s\n", addr)
	fmt.Fprintf(w, "  model      %s\n", describe(s.modelSettings, model))
	fmt.Fprintf(w, "  workspace  %s\n", s.workspace)
	if fresh != "" {
		fmt.Fprintf(w, "  token      %s   (made for this run, shown only here)\n", fresh)
		fmt.Fprintf(w, "  page       http://%s/#token=%s\n", addr, fresh)
		return
	}
	fmt.Fprintf(w, "  page       http://%s/   (asks for your token)\n", addr)
}

func describe(s modelSettings, model string) string {
	switch s.chosen() {
	case "offline":
		return "offline (deterministic, no key: picks tools by the words of a message)"
	case "openai":
		return model + " at " + hostOf(cmp.Or(os.Getenv(openAIBaseURL), openai.DefaultBaseURL))
	case "anthropic":
		return model + " at " + hostOf(cmp.Or(os.Getenv(anthropicBase), anthropic.DefaultBaseURL))
	}
	return s.chosen()
}

// hostOf is all of a URL that is safe to print: the rest may hold a key.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an address that is no URL"
	}
	return u.Host
}
