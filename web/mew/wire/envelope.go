package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Protocol is the version that this package reads.
const Protocol = "mew/v0.4"

// Bounds of the members that are not text for a reader.
const (
	MaxName   = 255 // bytes of an id, a kind or a participant's name
	MaxListed = 256 // entries of to and of correlation_id, each
)

// Envelope is one message of a space as it arrived.
type Envelope struct {
	Protocol, ID, From, Kind string // "" if the message lacks it; Kind never is

	TS            time.Time // zero if the message lacks it
	To            []string  // empty for a message to all
	CorrelationID []string
	Context       Context
	Payload       json.RawMessage // an object, or nil if absent
	Raw           []byte          // the message's bytes
}

// Options says which spellings are read.
type Options struct {
	Drafts bool // also those of the drafts before v0.4
}

// Parse reads a message. It refuses one that is no JSON object, that has a member twice or
// of another type than MEW v0.4 gives it, and one without a kind. In the payload, too, no object may
// have a member twice. It does not require what
// the gateway adds: protocol, id, ts and from. The envelope shares raw's memory. Its error is
// a [*Refusal].
func Parse(raw []byte, o Options) (Envelope, error) {
	m, err := Members(raw)
	if err != nil {
		return Envelope{}, err
	}
	for name := range m {
		if isMisspelled(name) {
			return Envelope{}, invalid("A member differs from one of MEW's only in case. " +
				"Write it as MEW does, such as payload.")
		}
	}
	e := Envelope{Raw: raw}
	if err := e.readNames(m, o); err != nil {
		return e, err
	}
	if err := e.readLists(m, o); err != nil {
		return e, err
	}
	if e.Payload, err = objectOf(m, "payload"); err != nil {
		return e, err
	}
	if namesTwice(e.Payload) {
		return e, invalid("A member in the payload stands twice. Send each once.")
	}
	e.Context = contextOf(m["context"])
	if o.Drafts {
		if e.Kind, e.Payload, err = modern(e.Kind, e.Payload); err != nil {
			return e, err
		}
	}
	if e.Context.Given == nil {
		e.Context = payloadContext(e.Kind, e.Payload)
	}
	return e, checkPayload(e.Kind, e.Payload)
}

// isMisspelled reports whether some readers take a member for another one, of this protocol.
func isMisspelled(name string) bool {
	for _, known := range []string{
		"protocol", "id", "ts", "from", "to", "kind", "correlation_id", "correlationId", "context", "payload",
	} {
		if name != known && strings.EqualFold(name, known) {
			return true
		}
	}
	return false
}

// readNames reads the members that are one text.
func (e *Envelope) readNames(m map[string]json.RawMessage, o Options) error {
	var ts string
	for _, one := range []struct {
		name string
		into *string
	}{{"protocol", &e.Protocol}, {"id", &e.ID}, {"from", &e.From}, {"kind", &e.Kind}, {"ts", &ts}} {
		if err := text(m, one.name, one.into); err != nil {
			return err
		}
	}
	if e.Kind == "" {
		return invalid("The message has no kind. Add one, such as \"kind\":\"chat\".")
	}
	if e.Protocol != "" && e.Protocol != Protocol && (!o.Drafts || !isDraft(e.Protocol)) {
		return invalid("The message is of another protocol. Send \"protocol\":\"" + Protocol + "\".")
	}
	if ts == "" {
		return nil
	}
	var err error
	if e.TS, err = time.Parse(time.RFC3339, ts); err != nil {
		return invalid("ts is no time of RFC 3339, such as 2026-01-02T15:04:05Z. Leave it out, and it is added.")
	}
	return nil
}

// readLists reads to and correlation_id.
func (e *Envelope) readLists(m map[string]json.RawMessage, o Options) (err error) {
	if e.To, err = list(m, "to"); err != nil {
		return err
	}
	if e.CorrelationID, err = list(m, "correlation_id"); err != nil || !o.Drafts {
		return err
	}
	if len(e.CorrelationID) == 0 {
		e.CorrelationID, err = list(m, "correlationId")
	}
	return err
}

// Complete returns the envelope with the members that it lacks: protocol, id, ts and from.
// They are put in front of the others; no byte that came is changed.
func (e Envelope) Complete(id, from string, now time.Time) Envelope {
	var front []byte
	add := func(field *string, name, value string) {
		if *field != "" {
			return
		}
		*field = value
		quoted, _ := json.Marshal(value) // a string always encodes
		front = append(append(append(front, '"'), name...), '"', ':')
		front = append(append(front, quoted...), ',')
	}
	add(&e.Protocol, "protocol", Protocol)
	add(&e.ID, "id", id)
	if e.TS.IsZero() {
		e.TS = now
		ts := ""
		add(&ts, "ts", now.UTC().Format(time.RFC3339Nano))
	}
	add(&e.From, "from", from)
	if len(front) > 0 {
		start := bytes.IndexByte(e.Raw, '{') + 1
		e.Raw = append(append(append(make([]byte, 0, len(e.Raw)+len(front)), e.Raw[:start]...), front...),
			e.Raw[start:]...)
	}
	return e
}

// IsTo reports whether the envelope is addressed to the participant by name.
func (e Envelope) IsTo(participant string) bool {
	for _, to := range e.To {
		if to == participant {
			return true
		}
	}
	return false
}

// WithPayload returns the message's bytes with another payload, which is valid JSON. All
// other bytes stay. The message has to have a payload.
func (e Envelope) WithPayload(payload json.RawMessage) []byte {
	dec := json.NewDecoder(bytes.NewReader(e.Raw))
	_, _ = dec.Token() // the bracket; the text is an object, as Parse has seen
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		_ = dec.Decode(&value)
		if end := dec.InputOffset(); name == "payload" {
			start := end - int64(len(value))
			return append(append(append([]byte{}, e.Raw[:start]...), payload...), e.Raw[end:]...)
		}
	}
	return e.Raw
}

// Context is the context of a message before it is resolved against those of the space.
type Context struct {
	Given  json.RawMessage // as it came, whatever its type; nil if absent
	Path   string          // a text's path, or an object's id; "" for the main context
	Parent string          // the id of the parent context, of ADR-k9j's object
	Type   string          // reasoning, workflow and so on, of ADR-k9j's object

	Metadata json.RawMessage // what else the object says of the context; nil if nothing

	// InPayload says that the context stood in the payload. It is then the context of the
	// reasoning itself, also in the message that starts it.
	InPayload bool
}

// contextOf reads a context of any shape. A shape that names no context is kept as Given
// and belongs to the main context.
func contextOf(raw json.RawMessage) Context {
	if len(raw) == 0 || isNull(raw) {
		return Context{}
	}
	c := Context{Given: raw}
	switch raw[0] {
	case '"':
		_ = json.Unmarshal(raw, &c.Path)
	case '{':
		c.readObject(raw)
	}
	return c
}

// readObject reads ADR-k9j's object {id, type, parent}, and the object of shipped agents
// {operation, topic, correlation_id}, which names the context by what it correlates to.
func (c *Context) readObject(raw json.RawMessage) {
	m, err := Members(raw)
	if err != nil {
		return // a member stands twice: which one counts is anybody's guess
	}
	// A member of another type is as good as absent: contexts are not validated.
	c.Metadata, _ = objectOf(m, "metadata")
	if c.Path = textOr(m["id"]); c.Path != "" {
		c.Parent, c.Type = textOr(m["parent"]), textOr(m["type"])
		return
	}
	switch textOr(m["operation"]) {
	case "push", "pop", "resume":
		if ids, err := list(m, "correlation_id"); err == nil && len(ids) > 0 {
			c.Path = ids[0]
			return
		}
		c.Path = textOr(m["topic"])
	}
}

// textOr returns a JSON text's value, and "" for anything else.
func textOr(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// payloadContext reads the context that some agents put into the payload of their
// reasoning. Payloads of other kinds may have a context that means something else.
func payloadContext(kind string, payload json.RawMessage) Context {
	if payload == nil || !strings.HasPrefix(kind, "reasoning/") {
		return Context{}
	}
	m, err := Members(payload)
	if err != nil {
		return Context{}
	}
	c := contextOf(m["context"])
	c.InPayload = c.Given != nil
	return c
}

// Within reports whether path is the context ancestor or lies below it: "a/b" is within
// "a", "ab" is not. Every path is within the main context, "".
func Within(path, ancestor string) bool {
	rest, ok := strings.CutPrefix(path, ancestor)
	return ok && (ancestor == "" || rest == "" || rest[0] == '/')
}

// isDraft reports whether a protocol is an older draft of MEW.
func isDraft(protocol string) bool {
	return slices.Contains([]string{
		"mcp-x/v0", "mcpx/v0.1", "mcpp/v0.1", "mecp/v0.1", "meup/v0.1", "meup/v0.2", "mew/v0.3",
	}, protocol)
}

// slashed returns a kind with slashes if it is one of MEW's namespaces written with dots.
// Other kinds may have dots, such as "example.org/note".
func slashed(kind string) string {
	if space, _, ok := strings.Cut(kind, "."); ok && slices.Contains([]string{
		"reasoning", "mcp", "chat", "capability", "space", "participant", "stream", "system"}, space) {
		return strings.ReplaceAll(kind, ".", "/")
	}
	return kind
}

// modern returns a draft's kind and payload in the words of v0.4.
func modern(kind string, payload json.RawMessage) (string, json.RawMessage, error) {
	kind, method, hasMethod := strings.Cut(slashed(kind), ":")
	switch kind {
	case "reflection", "reasoning/step":
		kind = thought
	case "conclusion":
		kind = "reasoning/conclusion"
	}
	if hasMethod && (kind == "mcp/request" || kind == "mcp/proposal") {
		quoted, _ := json.Marshal(method)
		return withMember(kind, payload, "method", quoted)
	}
	from, to := "", ""
	switch kind {
	case "chat":
		from, to = "message", "text"
	case thought:
		from, to = "thought", "message"
	case "reasoning/conclusion":
		from, to = "decision", "message"
	default:
		return kind, payload, nil
	}
	var m map[string]json.RawMessage
	if payload != nil {
		_ = json.Unmarshal(payload, &m)
	}
	return withMember(kind, payload, to, m[from])
}

// withMember returns the payload with one more member, unless it has it or value is empty.
func withMember(
	kind string, payload json.RawMessage, name string, value json.RawMessage,
) (string, json.RawMessage, error) {
	if payload == nil {
		payload = json.RawMessage("{}")
	}
	m, err := Members(payload)
	if err != nil {
		return kind, payload, err
	}
	if _, has := m[name]; has || len(value) == 0 {
		return kind, payload, nil
	}
	out := append(append([]byte(`{"`+name+`":`), value...), ',')
	if len(m) == 0 {
		out = out[:len(out)-1]
	}
	return kind, append(out, payload[1:]...), nil
}
