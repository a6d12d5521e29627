package app

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"candor/session/otlp"
)

// OTLPHeadersEnv is the variable that holds the headers of requests to a collector, as
// OpenTelemetry names and writes it: NAME=VALUE,NAME=VALUE.
const OTLPHeadersEnv = "OTEL_EXPORTER_OTLP_HEADERS"

// OTLPSettings say whether turns are sent to a collector of OpenTelemetry, and what of them. The
// headers of its requests come from the environment only, because they are secrets.
type OTLPSettings struct {
	URL     string // of the collector; "" means that nothing is sent
	Content bool   // send messages, arguments and results, too
}

// export begins to send the turns that end, if the settings ask for it; it returns nil otherwise.
// answering is the model that answers the turns. The caller closes what it returns.
func (s Settings) export(answering string, log *slog.Logger) (*otlp.Exporter, error) {
	if s.OTLP.URL == "" {
		if s.OTLP.Content {
			return nil, errors.New("--otlp-content has no effect without --otlp: add --otlp URL, or leave it out")
		}
		return nil, nil
	}
	u, err := otlp.ParseURL(s.OTLP.URL)
	if err != nil {
		return nil, fmt.Errorf("--otlp: %w", err)
	}
	header, _, err := otlp.ParseHeader(os.Getenv(OTLPHeadersEnv))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", OTLPHeadersEnv, err)
	}
	return otlp.Start(otlp.Options{
		URL: u, Header: header, Version: s.Version, Log: log,
		About: otlp.About{Provider: s.Model.Chosen(), Model: answering, Content: s.OTLP.Content},
	}), nil
}

// minHeaderSecret is the length, in bytes, from which the value of a header is masked wherever it
// occurs. Shorter ones name tenants and the like.
const minHeaderSecret = 8

// collectorSecrets returns the credentials in the headers of requests to a collector.
func collectorSecrets() (secrets []string) {
	_, values, err := otlp.ParseHeader(os.Getenv(OTLPHeadersEnv))
	if err != nil {
		return nil // the start fails with it, if anything is sent
	}
	for _, v := range values {
		words := strings.Fields(v) // such as Bearer and the token
		if len(words) > 0 && len(words[len(words)-1]) >= minHeaderSecret {
			secrets = append(secrets, words[len(words)-1])
		}
	}
	return secrets
}

// exportFigures reads what an exporter counts.
func exportFigures(x *otlp.Exporter) []prometheus.Collector {
	turns := func(result string, read func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "candor_otlp_turns_total", Help: "Turns that were sent to the collector of --otlp, or lost.",
			ConstLabels: prometheus.Labels{"result": result},
		}, read)
	}
	return []prometheus.Collector{
		turns("sent", func() float64 { return float64(x.Counts().Sent) }),
		turns("lost", func() float64 { return float64(x.Counts().Lost) }),
		queue("otlp", func() float64 { return float64(x.Counts().Waiting) }),
	}
}
