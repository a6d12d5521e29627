package jobs

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"candor/safety"
	"candor/session"
)

// digest is the beginning of a SHA-256 sum. Ids and names of workers are compared by
// their digests, so that none of their text has to be kept.
type digest [16]byte

// digestOf returns the digest of several texts together. Their lengths are part of the sum, so that two
// different lists never give the same input.
func digestOf(texts ...string) (h digest) {
	sum := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(sum, "%d:%s", len(t), t)
	}
	copy(h[:], sum.Sum(nil))
	return h
}

// reference is what a post says about the identity of a call.
type reference struct {
	id      digest // of the agent and the worker's id for the call; zero if it sent none
	agent   digest
	tool    digest // zero if the post names no tool
	name    safety.Text
	number  int // N if the worker's id is our own spelling call_N, else 0
	outcome session.Outcome
}

// referTo returns the reference of a post by an agent ("" for a worker with one agent)
// to the call of a tool with an id of the worker's, which may be any text. name is the
// tool's name, cleaned.
func referTo(agent, tool, id string, name safety.Text) reference {
	ref := reference{agent: digestOf(agent), name: name}
	if tool != "" {
		ref.tool = digestOf(tool)
	}
	if id != "" {
		ref.id, ref.number = digestOf(agent, id), ownNumber(id)
	}
	return ref
}

// callers returns the references that the call may have within which the event's agent works. Ids are those of an
// agent, so it is a call of the agent whose place is above its own, as ask is above ask/dig, or of one further above,
// up to the lead agent.
func (p *post) callers() (list []reference) {
	for above := p.Agent; p.Caller != "" && above != ""; {
		above = above[:max(0, strings.LastIndexByte(above, '/'))]
		list = append(list, referTo(above, "", p.Caller, safety.Text{}))
	}
	return list
}

// ownNumber returns N if id is spelled as we spell ids, call_N, else 0. A number has at
// most nine digits, so that the numbers after it fit in an int everywhere.
func ownNumber(id string) int {
	digits, ok := strings.CutPrefix(id, "call_")
	if !ok || len(digits) > 9 || strings.HasPrefix(digits, "0") || strings.Trim(digits, "0123456789") != "" {
		return 0
	}
	n, _ := strconv.Atoi(digits)
	return n
}

func (r reference) named() bool { return r.id != digest{} }
