package mew

import "time"

// Bounds of what participants can make a gateway hold. docs/limits.md lists those that people meet.
const (
	MaxMessage = 256 << 10 // bytes of a message or a frame

	maxSpaces          = 16       // of an owner
	maxParticipants    = 64       // of a space
	maxEver            = 1024     // participants that a space has had, beyond which only its owner adds more
	maxCapabilities    = 64       // of a participant, those granted included
	maxCapabilityBytes = 32 << 10 // of their JSON, for each participant
	maxLinks           = 64       // sockets and event streams of a space
	maxLinksEach       = 4        // sockets and event streams of a participant
	maxRequestsEach    = 8        // HTTP requests of a participant under way at once
	maxJoining         = 64       // sockets that have not said yet whose they are
	maxJoin            = 4 << 10  // bytes of a message that joins
	maxName            = 64       // bytes of the name of a space or a participant
	maxStreams         = 8        // open streams of a participant
	maxStreamTerms     = 8192     // bytes of a stream's request, which late joiners get

	// More than what one participant may send at once, so that nobody who reads is cut off by it.
	maxQueuedBytes = 4 << 20 // waiting for one socket
	maxQueued      = 8192    // messages waiting for one socket

	maxKept      = 4096    // messages of a space that readers may go back to
	maxKeptBytes = 8 << 20 // of these messages
	maxIDs       = 16384   // ids of a space that are refused as duplicates
	maxPaces     = 64      // contexts of a participant whose rate is counted apart

	maxPage      = 200     // messages of an answer
	maxPageBytes = 1 << 20 // of these messages

	entryCost = 512 // bytes that a kept message takes besides its own
)

// Times of a gateway.
const (
	joinTime    = 10 * time.Second // for a socket to say whose it is
	sendTime    = 10 * time.Second // for a socket to take a message
	goodbyeTime = 2 * time.Second  // for a socket that is closed to take what waits
	pingTime    = 30 * time.Second // between pings of a socket
	expireEvery = 5 * time.Second  // between looks for contexts that have gone idle
)

// The rates of a participant unless the options say otherwise, in messages a second, where
// each 4 KiB of a message count again. Four seconds' worth may come at once. One message of
// 10,000 characters, or twenty a second, are far below.
const (
	DefaultRate        = 200
	DefaultContextRate = 50 // within one context
	frameRate          = 1000
	requestRate        = 100 // over HTTP, reading included
	burstSeconds       = 4
	paceUnit           = 4 << 10
)
