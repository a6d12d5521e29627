package jetstream

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Options say where the cluster is and how Candor's streams in it are made.
type Options struct {
	URL         string // of a server, such as nats://host:4222, or of several with commas between
	Credentials string // file with a user's JWT and key; none if empty
	CA          string // file with the certificates that servers are checked against; the system's if empty
	Cert, Key   string // files with the certificate that proves who we are, and its key; none if empty

	Name     string        // what the names of streams and subjects begin with; candor if empty
	Replicas int           // servers that keep each message; 1 if 0
	Shards   int           // streams that the sessions are spread over, which cannot change later; 8 if 0
	Timeout  time.Duration // of one question to NATS; 10 s if 0

	more []nats.Option // of the connection, for tests
}

// The bounds of Options.
const (
	maxReplicas = 5
	maxShards   = 64
)

// withDefaults fills in what is empty, or says what is wrong.
func (o Options) withDefaults() (Options, error) {
	if o.Name == "" {
		o.Name = "candor"
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.Shards == 0 {
		o.Shards = 8
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	switch {
	case o.URL == "":
		return o, errors.New("NATS needs the URL of a server, such as nats://127.0.0.1:4222")
	case !regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`).MatchString(o.Name):
		return o, errors.New("the name of the streams has to be 1 to 32 letters, digits, - or _")
	case o.Replicas < 1 || o.Replicas > maxReplicas || o.Replicas%2 == 0:
		return o, fmt.Errorf("%d servers cannot keep a message: choose 1, 3 or 5", o.Replicas)
	case o.Shards < 1 || o.Shards > maxShards:
		return o, fmt.Errorf("%d shards are not possible: choose 1 to %d", o.Shards, maxShards)
	case (o.Cert == "") != (o.Key == ""):
		return o, errors.New("the certificate for NATS and its key have to be given together")
	}
	return o, nil
}

// hosts returns the servers' addresses without what may be secret in a URL.
func (o Options) hosts() string {
	var hosts []string
	for s := range strings.SplitSeq(o.URL, ",") {
		if u, err := url.Parse(strings.TrimSpace(s)); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	return strings.Join(hosts, ", ")
}

// connect connects to a server. While the connection is lost nothing is kept to be sent later, so
// that a message that was refused then cannot arrive after all.
func (o Options) connect(tell func()) (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name("candor"), nats.Timeout(5 * time.Second),
		// Reconnecting never ends. A ping finds a connection that is dead without a word within 30 seconds.
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ReconnectHandler(func(*nats.Conn) { tell() }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) { tell() }),
	}
	if o.Credentials != "" {
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	if o.CA != "" {
		opts = append(opts, nats.RootCAs(o.CA))
	}
	if o.Cert != "" {
		opts = append(opts, nats.ClientCert(o.Cert, o.Key))
	}
	nc, err := nats.Connect(o.URL, append(opts, o.more...)...)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to NATS at %s: %s", o.hosts(), o.redact(err))
	}
	return nc, nil
}

// redact returns an error's text without the URL, which may have a password.
func (o Options) redact(err error) string {
	text := err.Error()
	for s := range strings.SplitSeq(o.URL, ",") {
		s = strings.TrimSpace(s)
		text = strings.ReplaceAll(text, s, "the server")
		if u, err := url.Parse(s); err == nil && u.User != nil {
			text = strings.ReplaceAll(text, u.User.String(), "…")
			if password, ok := u.User.Password(); ok && password != "" {
				text = strings.ReplaceAll(text, password, "…")
			}
		}
	}
	return text
}
