package command

import (
	"crypto/rand"
	"encoding/base64"
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

// canary is a made-up secret and a text that contains it. text is what is sent; secret is
// the part that must not come back, such as the password within a database's address.
type canary struct{ kind, text, secret string }

// canaries returns one secret of each kind that a server has to mask. They are random
// on every call, so that a server cannot know them from a list, and open nothing. The
// prefixes are split in this source, so that scanners of repositories do not report it.
func canaries() []canary {
	token := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(rand.Text())
		}
		return b.String()[:n]
	}
	lower := func(n int) string { return strings.ToLower(token(n)) }
	segment := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	dashes := strings.Repeat("-", 5)
	whole := func(kind, s string) canary { return canary{kind, s, s} }
	in := func(kind, before, after string) canary {
		secret := lower(10) + token(8) + "7"
		return canary{kind, before + secret + after, secret}
	}
	body := token(64)
	return []canary{
		whole("GitHub token", "ghp"+"_"+token(18)+lower(18)),
		whole("AWS access key", "AKIA"+token(16)),
		whole("Slack token", "xox"+"b-"+"123456789012-"+"123456789012-"+lower(12)+token(12)),
		whole("Stripe key", "sk"+"_live_"+lower(12)+token(12)),
		whole("JSON web token", segment(`{"alg":"HS256","typ":"JWT"}`)+"."+segment(`{"sub":"`+lower(8)+`"}`)+"."+
			token(20)+lower(23)),
		in("database password", "postgres://app:", "@db.internal/app"),
		in("password in words", "password=", ""),
		in("bearer token", "Authorization: Bearer ", ""),
		{"private key", dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + "\n" + body + "\n" + dashes +
			"END RSA PRIVATE " + "KEY" + dashes, body},
	}
}

// leaks reports whether text contains eight consecutive bytes of the secret. A shorter
// part, such as the first characters of a key, may be shown.
func (c canary) leaks(text string) bool {
	for i := 0; i+8 <= len(c.secret); i++ {
		if strings.Contains(text, c.secret[i:i+8]) {
			return true
		}
	}
	return false
}
