package codex

import (
	"bytes"
	"errors"
	"regexp"
)

// The lines that SummariesOn writes: into a file that was there, and as a file of its own.
const (
	summaryLine = `model_reasoning_summary = "auto" # candor attach --thinking`
	summaryFile = summaryLine + ", whose file this is\n"
)

// summarySetting finds the setting in config.toml, and what it is set to. Within a table it is that of a profile.
var summarySetting = regexp.MustCompile(`(?m)^[ \t]*["']?model_reasoning_summary["']?[ \t]*=[ \t]*["']?(\w*)`)

// SummariesOn returns config.toml with a first line that has the program ask for summaries of the model's thoughts. One
// that asks for them already stays as it is. An empty file does not exist.
func SummariesOn(config []byte) ([]byte, error) {
	switch found := summarySetting.FindSubmatch(config); {
	case config == nil:
		return []byte(summaryFile), nil
	case found == nil:
		end := "\n"
		if bytes.Contains(config, []byte("\r\n")) {
			end = "\r\n"
		}
		return append([]byte(summaryLine+end), config...), nil
	case string(found[1]) == "none":
		return nil, errors.New("model_reasoning_summary is \"none\": remove it first")
	}
	return config, nil
}

// SummariesBack returns config.toml without the line of SummariesOn; nil if that made the file and nobody wrote to it.
func SummariesBack(config []byte) []byte {
	if string(config) == summaryFile {
		return nil
	}
	for _, ours := range []string{summaryFile, summaryLine + "\r\n", summaryLine + "\n"} {
		if rest, ok := bytes.CutPrefix(config, []byte(ours)); ok {
			return rest
		}
	}
	return config
}
