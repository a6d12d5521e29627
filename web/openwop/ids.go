package openwop

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"candor/session"
)

// ours is a name or an id that the program made, never text of others.
type ours string

// agentOfRun is the agent that talks to the user.
const agentOfRun ours = "host:candor"

const (
	agentPrefix = "host:" // of agents without a manifest, for which OpenWOP reserves it
	maxID       = 128     // bytes

	// fixtureAgents begins the ids of agents of the workflows that exist for tests of clients.
	fixtureAgents = "core.conformance."
)

// RunID returns the id of the run that a turn is. It is the same for the same turn; in version 2
// it begins with the tenant that the user is.
func RunID(v Version, user string, ref session.Ref) string {
	return string(bound(v, user, runOf(ref)))
}

// ParseRunID returns the turn that an id made by [RunID] for the same user stands for, and
// whether it is one. It does not say whether there is such a turn.
func ParseRunID(v Version, user, id string) (ref session.Ref, ok bool) {
	opaque := id
	if v == V2 {
		if opaque, ok = strings.CutPrefix(id, string(tenantOf(user))+"/"); !ok {
			return session.Ref{}, false
		}
	}
	thread, number, ok := cutLast(opaque, ".")
	if !ok {
		return session.Ref{}, false
	}
	turn, err := strconv.Atoi(number)
	ref = session.Ref{Thread: thread, Turn: turn}
	if err != nil || turn < 1 || strings.Contains(thread, "/") || RunID(v, user, ref) != id {
		return session.Ref{}, false
	}
	return ref, true
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+len(sep):], true
}

// runOf returns the id of the run that a turn is, in version 1.
func runOf(ref session.Ref) ours { return ours(ref.Thread + "." + strconv.Itoa(ref.Turn)) }

// bound returns an id as a version has it: version 2 puts the tenant in front.
func bound(v Version, user string, id ours) ours {
	if v == V2 {
		return tenantOf(user) + "/" + id
	}
	return id
}

// tenantOf returns the tenant that a user is, and principalOf the user as the one who acts. Both
// are opaque, since a user's name may be an address.
func tenantOf(user string) ours    { return "tenant-" + digest(user) }
func principalOf(user string) ours { return "user-" + digest(user) }

// digest returns what stands for a user in ids. It cannot be turned back into the name.
func digest(user string) ours {
	sum := sha256.Sum256([]byte("candor openwop user\x00" + user))
	return ours(hex.EncodeToString(sum[:12]))
}

// eventID returns the id of a run's event. It is the same in both versions.
func eventID(ref session.Ref, sequence int) ours {
	return runOf(ref) + "." + ours(strconv.Itoa(sequence))
}

// interruptID returns the id of the question about a call of a node. A replay has the same.
func interruptID(v Version, user string, node ours, call string) ours {
	return bound(v, user, plain("interrupt."+string(node)+"."+call))
}

// agentID returns OpenWOP's id for an agent of a turn.
func agentID(agent string) ours {
	if agent == "" {
		return agentOfRun
	}
	if strings.HasPrefix(agent, fixtureAgents) {
		return plain(agent)
	}
	return agentPrefix + plain(strings.TrimPrefix(agent, agentPrefix))
}

// plain returns an id in the letters that ids of version 2 may have, and no longer than they may be.
func plain(id string) ours {
	allowed := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		case r == '/':
			return '.' // between an agent and its sub-agent
		}
		return '-'
	}
	s := strings.Map(allowed, id)
	return ours(s[:min(len(s), maxID-len(agentPrefix))])
}
