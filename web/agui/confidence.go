package agui

import (
	"encoding/json"
	"fmt"

	"candor/session"
)

// confidenceMeta says how sure the agent was of a call, between 0 and 1, and below which
// threshold a person decides. Suppressed says that the operator lets such calls run.
type confidenceMeta struct {
	Stated     float64 `json:"stated"`
	Threshold  float64 `json:"threshold"`
	Suppressed bool    `json:"suppressed,omitempty"`
}

// confidence adds how sure the agent was of a call, if it said so.
func (m Metadata) confidence(c session.Call) {
	if s := c.Confidence; s != nil {
		m[metaConfident] = confidenceMeta{s.Stated, s.Threshold, s.Suppressed}
	}
}

// decisionSchema is answerSchema for a call that is a decision: it may be another one.
var decisionSchema = map[bool]json.RawMessage{
	false: decisionSchemaWith(`["approve","deny"]`),
	true:  decisionSchemaWith(`["approve","deny","always"]`),
}

func decisionSchemaWith(answers string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"answer":{"enum":` + answers +
		`},"value":{"description":"Another decision than the agent's, beside approve."}},"required":["answer"]}`)
}

// whatIsAsked begins a question: with the reason for asking where it is the agent's confidence.
func whatIsAsked(c session.Call) []string {
	asked := fmt.Sprintf("May %s run?", c.Tool)
	if c.Decides {
		asked = "Is it decided so?"
	}
	if c.Confidence != nil && c.Approval.LowConfidence {
		return []string{c.Confidence.WhyAsked(), asked}
	}
	return []string{asked}
}
