package command

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
)

// A flag that has no effect is a mistake that nobody notices: with --server, a --deny
// would deny nothing. The checks in this file refuse such flags and values before a
// command does anything. Package app checks what it builds from.

// isGiven reports whether the arguments name a flag. It is for flags that have no effect
// here: the same setting in an environment variable is meant for other commands too, and
// is not refused.
func isGiven(args []string, flag string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if name == flag && strings.HasPrefix(a, "-") {
			return true
		}
	}
	return false
}

// checkChat refuses the flags of chat that would have no effect: with --server those that
// the server decides, without it those that need one.
func checkChat(s chatSettings, args []string) error {
	if s.url == "" {
		if s.thread != "" || s.continued {
			return errors.New("--thread and --continue need --server: without it, chat has no earlier conversations")
		}
		if isGiven(args, "token-file") {
			return errors.New("--token-file has no effect without --server: an agent in this process needs no token")
		}
		return checkApprovalTimeout(s.ApprovalTimeout)
	}
	if s.thread != "" && s.continued {
		return errors.New("--thread and --continue both choose a conversation: use one of them")
	}
	var none app.Settings
	own := slices.Concat(modelFlags(&none.Model), toolFlags(&none.Tools), safetyFlags(&none.Safety),
		[]cli.Flag{approvalTimeoutFlag(&none.ApprovalTimeout), streamFlag(&none.WholeTexts),
			&cli.StringFlag{Name: "log"}})
	var refused []string
	for _, f := range own {
		if name := f.Names()[0]; isGiven(args, name) {
			refused = append(refused, "--"+name)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return misused("%s cannot be used with a server: the server at %s decides that. "+
		"Pass it to candor serve, or leave out --server (and CANDOR_SERVER) to run an agent in this process",
		strings.Join(refused, ", "), app.HostOf(s.url))
}

// checkServe refuses limits, times and origins that would not be applied as given.
func checkServe(s serveSettings) error {
	for _, n := range []struct {
		flag  string
		value int
	}{{"--sends-per-minute", s.SendsPerMinute}, {"--max-streams", s.StreamsPerUser},
		{"--max-requests", s.RequestsPerUser}, {"--max-connections", s.connections},
		{"--writes-per-second", s.WritesPerSecond}} {
		if n.value < 1 {
			return fmt.Errorf("%s: want a number from 1, not %d", n.flag, n.value)
		}
	}
	if err := checkMemory(s); err != nil {
		return err
	}
	if s.Storage.NATS.URL != "" && s.keyFile == "" {
		return errors.New("--nats needs --key-file FILE, so that each server accepts the logins of the others")
	}
	if err := checkDataFolder(s.Storage.Dir); err != nil {
		return err
	}
	if s.idle <= 0 {
		return fmt.Errorf("--session-idle: want a time such as 24h, not %s", s.idle)
	}
	for _, o := range s.Origins {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || o != u.Scheme+"://"+u.Host {
			return fmt.Errorf("--cors-origin: %q is not an origin; want one such as https://app.example", o)
		}
	}
	if s.grace < 0 {
		return fmt.Errorf("--shutdown-timeout: want a time such as 10s, not %s", s.grace)
	}
	return checkApprovalTimeout(s.ApprovalTimeout)
}

// checkWorker refuses times that would mean the default instead, and a folder for events
// that does not exist: it would be missed only when the server cannot be reached.
func checkWorker(s workerSettings) error {
	if s.poll <= 0 {
		return fmt.Errorf("--poll: want a time such as 2s, not %s", s.poll)
	}
	if s.spillDir != "" {
		if info, err := os.Stat(s.spillDir); err != nil || !info.IsDir() {
			return fmt.Errorf("--spill-dir: there is no folder %q", s.spillDir)
		}
	}
	if s.grace <= 0 {
		return fmt.Errorf("--shutdown-timeout: want a time such as 10s, not %s", s.grace)
	}
	return nil
}

// checkApprovalTimeout refuses a time that no person could answer within.
func checkApprovalTimeout(d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("--approval-timeout: want a time such as 5m, not %s", d)
	}
	return nil
}
