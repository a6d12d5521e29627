package session

import (
	"time"

	"candor/safety"
)

// Channel is a way by which Candor hears of the agent of another program. What a channel is called is
// ours, never text of others.
type Channel string

// The channels, those whose word counts most first.
const (
	FromFile      Channel = "file"      // the agent's own session file
	FromHooks     Channel = "hooks"     // what the agent reports while it works
	FromTelemetry Channel = "telemetry" // OTLP
	FromWrapper   Channel = "wrapper"   // a proxy between the agent and its tools
)

// Sighted records what one channel saw of a turn of an attached agent, or of its whole session if the
// event has no turn. Sightings are joined: in whatever order they come, and however often, the turn is the
// same in the end.
type Sighted struct {
	Key       string // of the turn, by which all channels know it; empty for the whole session
	Channel   Channel
	Sightings []Sighting
}

// Sighting is one fact. Its place is its Sub, Group, Index and Call and what kind of fact it is: of a fact that
// comes twice from one channel at one place the longer one holds. Ids are ours, made of those of the
// agent's program, which joins the channels. One of the fields after Findings is set.
type Sighting struct {
	// At is when it happened by the agent's clock, zero if the channel does not say. Of one fact that is told twice
	// the earlier time holds. Steps and calls are ordered by it, for which it need not be exact: what
	// happened side by side may stand in any order, as long as it is always the same one.
	At time.Time

	Sub   string // the sub-agent; empty for the lead agent
	Group string // the model's answer that this is part of; empty if it is not known
	Index int    // place within that answer, from 0
	Call  string

	Findings []safety.Finding

	About    *SightedAbout
	Prompted *SightedPrompt
	Said     *SightedText
	Sealed   *SightedSeal
	Stopped  *SightedStop
	Called   *SightedCall
	Returned *SightedResult
	Batched  *SightedBatch
	Spawned  *SightedAgent
	Used     *SightedUsage
	Ended    *SightedEnd
}

// SightedAbout is what a channel knows of the agent's session. Empty fields are not known. The event that has it has no
// turn. Of two texts for a field the longer one holds, since one channel may have the short name of a model, or cut a
// folder that is deep.
type SightedAbout struct{ Version, Model, Folder, Title safety.Text }

// SightedPrompt is the message that began the turn. At index 0 it is the person's; what a program says to its agent
// within the turn, such as that a task in the background has ended, stands at index 1 and is shown only if no person
// said anything.
type SightedPrompt struct{ Text safety.Text }

// SightedText is text of the model. Text that is part of an answer with calls is the narrative of their step; so is
// text that names a call, which is how hooks tell what was said right before it. A text that equals the turn's answer
// is not shown a second time.
type SightedText struct {
	Text    safety.Text // empty when Blocked
	Source  Source      // FromModel or FromSummary; FromFallback for a text of ours, which says what is lost
	Blocked bool        // safety withheld it
}

// SightedSeal is reasoning that only its provider can read, of so many bytes. What was sealed was dropped before
// anything looked at it.
type SightedSeal struct{ Bytes int }

// SightedStop says why the model ended an answer in which it was neither done nor called tools.
type SightedStop struct{ Stop Stop }

// SightedCall is a call. Its rationale is that of [Fallback] if the channel had none for this call.
type SightedCall struct {
	Tool      safety.Text
	Params    safety.JSON
	Rationale Rationale
	Described safety.Text // what the call does, in a parameter that the model wrote; no reason
}

// SightedResult is how a call ended. A result whose call nobody has seen stays among the facts and is not shown:
// nothing is made up for it.
type SightedResult struct {
	Outcome Outcome
	Result  safety.JSON // null unless the outcome is Success
	Error   safety.Text // empty if it is
	Partial bool        // the channel has only the beginning
	Took    time.Duration
}

// SightedBatch lists the calls of one answer of the model, in the order in which it made them. The fact has the first
// of them as its Call, since a turn has many such facts.
type SightedBatch struct{ Calls []string }

// SightedAgent is the sub-agent that a call began. A channel that knows of the sub-agent but not of the call leaves
// Call empty; then the agent has a name, and no hand-off is shown until another channel tells of the call.
type SightedAgent struct{ Kind, Model, Effort safety.Text }

// SightedUsage counts the tokens of an answer. Channels count for themselves: of a step the count of one channel holds,
// and counts of two are never added.
type SightedUsage struct{ Usage Usage }

// SightedEnd is the end of the turn, or of the sub-agent that the fact names. Of several ends of a turn one with an
// answer counts more than one without. A turn that has ended stays ended, whatever else is heard of it.
type SightedEnd struct {
	State    State // Completed, Failed or Interrupted
	Response safety.Text
	Error    safety.Text
}

// kind names what kind of fact a sighting is. The name is part of the fact's place, and orders facts that stand at one
// place otherwise; it is not stored.
func (s Sighting) kind() string {
	switch {
	case s.About != nil:
		return "about"
	case s.Prompted != nil:
		return "prompted"
	case s.Said != nil:
		return "said"
	case s.Sealed != nil:
		return "sealed"
	case s.Stopped != nil:
		return "stopped"
	case s.Called != nil:
		return "called"
	case s.Returned != nil:
		return "returned"
	case s.Batched != nil:
		return "batched"
	case s.Spawned != nil:
		return "spawned"
	case s.Used != nil:
		return "used"
	case s.Ended != nil:
		return "ended"
	}
	return ""
}

// cost returns what the sighting's texts are charged, and its own place.
func (s Sighting) cost() int {
	n := eventCost + len(s.Sub) + len(s.Group) + len(s.Call) + findingsCost(s.Findings)
	switch {
	case s.About != nil:
		n += textCost(s.About.Version, s.About.Model, s.About.Folder, s.About.Title)
	case s.Prompted != nil:
		n += textCost(s.Prompted.Text)
	case s.Said != nil:
		n += textCost(s.Said.Text)
	case s.Called != nil:
		n += textCost(s.Called.Tool, s.Called.Rationale.Text, s.Called.Described) + valueCost(s.Called.Params)
	case s.Returned != nil:
		n += textCost(s.Returned.Error) + valueCost(s.Returned.Result)
	case s.Batched != nil:
		for _, id := range s.Batched.Calls {
			n += len(id) + 16
		}
	case s.Spawned != nil:
		n += textCost(s.Spawned.Kind, s.Spawned.Model, s.Spawned.Effort)
	case s.Ended != nil:
		n += textCost(s.Ended.Response, s.Ended.Error)
	}
	return n
}

func (b Sighted) cost() int {
	n := len(b.Key)
	for _, s := range b.Sightings {
		n += s.cost()
	}
	return n
}

// findings returns what safety found in the texts of all facts.
func (b Sighted) findings() (all []safety.Finding) {
	for _, s := range b.Sightings {
		all = Merge(all, s.Findings)
	}
	return all
}
