package telemetry

import (
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"

	"candor/attach/otlp"
	"candor/web/problem"
)

// The bounds of a body, as it is sent and unpacked.
const (
	maxBody     = 8 << 20
	maxUnpacked = 32 << 20
)

// The problems of a body. None repeats input.
var (
	// Exporters over gRPC, and those that are pointed at another path, send other kinds.
	otherKind = problem.New(http.StatusUnsupportedMediaType, "not_otlp",
		"Send OTLP with Content-Type: application/x-protobuf or application/json, as OpenTelemetry's exporters over "+
			"HTTP do.")
	// OTLP knows only gzip.
	otherEncoding = problem.New(http.StatusUnsupportedMediaType, "not_gzip",
		"The body has an unsupported Content-Encoding. Send it with gzip or without.")
	brokenGzip = problem.New(http.StatusBadRequest, "invalid_gzip",
		"The body is not gzip, or is cut short. Send it again.")
	largeBody = problem.New(http.StatusRequestEntityTooLarge, "body_too_large",
		"The body is larger than this path accepts. Configure the exporter to send smaller batches.")
	unreadable = problem.New(http.StatusBadRequest, "body_unreadable",
		"The body ended early. Send it again.")
	// Whatever is damaged, the answer is the same: an exporter cannot mend it, and what it was may hold a secret.
	badBody = problem.New(http.StatusBadRequest, "invalid_otlp",
		"The body is not an OTLP request for this path, is damaged or has far too many elements. Nothing was stored.")
)

// read returns a request's body, unpacked, and its kind.
func read(r *http.Request) (body []byte, kind otlp.Kind, err error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind = otlp.Kind(media); kind != otlp.JSON && kind != otlp.Protobuf {
		return nil, "", otherKind
	}
	var in io.Reader = r.Body
	packed := false
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		if in, err = gzip.NewReader(r.Body); err != nil {
			return nil, "", problemOf(err, true)
		}
		packed = true
	default:
		return nil, "", otherEncoding
	}
	// One byte more than may be tells a body that is too long from one that just fits.
	body, err = io.ReadAll(io.LimitReader(in, maxUnpacked+1))
	switch {
	case err != nil:
		return nil, "", problemOf(err, packed)
	case len(body) > maxUnpacked:
		return nil, "", largeBody.With("max_bytes", maxUnpacked)
	}
	return body, kind, nil
}

// problemOf returns the problem of a body that could not be read.
func problemOf(err error, packed bool) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return largeBody.With("max_bytes", large.Limit)
	}
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	if packed {
		return brokenGzip
	}
	return unreadable
}
