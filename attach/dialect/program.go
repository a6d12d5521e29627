package dialect

import (
	"strings"

	"candor/attach/otlp"
)

// maxName bounds the name of an agent's program.
const maxName = 32

// unnamed is the program of spans whose process has no name of its own, by their instrumentation: the AI SDK's.
const unnamed = "ai-sdk"

// The name of a program is a part of what its session is known by. So the telemetry of a program that is read in other
// channels, too, has to have the name that it has there, or its session would be shown twice.

// programs are the names of programs that call themselves otherwise elsewhere.
var programs = map[string]string{
	"claude-code": "claude", "gemini-cli": "gemini", "gen-ai": unnamed, "ai": unnamed,
	"codex-cli-rs": "codex", "codex-exec": "codex",
}

// programOf returns what a process calls itself, or what its instrumentation is called if the process says nothing. It
// is empty if neither has a name. Names are cleaned before they are lowered, which no secret would survive to be found.
func programOf(resource otlp.Attributes, scope string, clean func(name string) string) string {
	name := clean(resource.Text("service.name"))
	if strings.HasPrefix(name, "unknown_service") {
		name = "" // the default of the SDKs
	}
	if name = lowered(name); name == "" {
		name = lowered(clean(scope))
	}
	if alias := programs[name]; alias != "" {
		return alias
	}
	return name
}

// lowered returns a name in the form that names of programs have: small letters, digits and dashes, beginning with a
// letter. It is empty if nothing of it is left.
func lowered(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxName {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
