package openai

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/agent/provider/wire"
	"candor/agent/provider/wire/responses"
)

func TestMessagesAreSaidApartAsInTheWholeText(t *testing.T) {
	var a responsesAnswer
	said := ""
	for _, e := range []responses.Event{
		{Type: "response.output_text.delta", OutputIndex: new(wire.Int(1)), Delta: "I look"},
		{Type: "response.output_text.delta", OutputIndex: new(wire.Int(1)), Delta: " first."},
		{Type: "response.reasoning_summary_text.delta", OutputIndex: new(wire.Int(2)), Delta: "PRIVATE"},
		{Type: "response.output_text.delta", OutputIndex: new(wire.Int(3)), Delta: "Then I go on."},
	} {
		said += a.add(e)
	}
	assert.Equal(t, "I look first.\n\nThen I go on.", said)
}

func TestItemsOfAResponseAreBounded(t *testing.T) {
	var a responsesAnswer
	for i := range maxItems + 10 {
		a.add(responses.Event{Type: "response.output_text.delta", OutputIndex: new(wire.Int(i)), Delta: "x"})
	}
	assert.Len(t, a.whole(), maxItems)
}
