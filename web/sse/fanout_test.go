package sse_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/web/sse"
)

var serveAs = flag.String("serve-as", "", "serve as the peer of this `name` until standard input ends")

// window is how many events may be on their way to the slowest stream.
const window = 64

// usage is what a peer's process has used.
type usage struct {
	CPU        time.Duration
	Resident   int
	Stacks     int
	Heap       int
	Goroutines int
}

// TestServeAsAPeer is the process of a peer, which benchmarks start. A line of its standard input
// is a number of events to publish, or 0 to tell its address or what it uses, on its third file.
func TestServeAsAPeer(t *testing.T) {
	if *serveAs == "" {
		t.Skip("a benchmark starts it in a process of its own")
	}
	out := json.NewEncoder(os.NewFile(3, "answers"))
	for _, p := range peers {
		if p.name != *serveAs {
			continue
		}
		serving := p.make(t)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		go func() {
			server := &http.Server{Handler: serving, ReadHeaderTimeout: time.Minute}
			if p.name == candor {
				listener = sse.Combine(server, listener)
			}
			_ = server.Serve(listener) // until the process ends
		}()
		require.NoError(t, out.Encode(listener.Addr().String()))
		number := 0
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			count, err := strconv.Atoi(lines.Text())
			require.NoError(t, err)
			for range count {
				number++
				serving.publish(number)
			}
			if count == 0 {
				require.NoError(t, out.Encode(used(t)))
			}
		}
	}
}

// used returns what this process has used, after what is garbage was given back.
func used(t *testing.T) (u usage) {
	var r syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	u.CPU = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	for range 3 { // stacks shrink by half at a time
		debug.FreeOSMemory()
	}
	u.Goroutines = runtime.NumGoroutine()
	raw, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	require.NoError(t, err)
	u.Resident = pages * os.Getpagesize()
	return u
}

// process is a peer in a process of its own, with the streams that this one reads from it.
type process struct {
	t       *testing.T
	address string
	input   io.Writer
	answers *json.Decoder

	streams []net.Conn
	seen    []atomic.Int32 // by event: how many streams have got it
	whole   chan int       // the number of an event that all streams have got
}

// startPeer starts a peer's process, which ends with the test.
func startPeer(t *testing.T, name string) *process {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(binary, "-test.run=^TestServeAsAPeer$", "-serve-as="+name)
	answers, theirs, err := os.Pipe()
	require.NoError(t, err)
	cmd.ExtraFiles, cmd.Stderr = []*os.File{theirs}, os.Stderr
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	theirs.Close()
	p := &process{t: t, input: input, answers: json.NewDecoder(answers)}
	t.Cleanup(func() {
		for _, c := range p.streams {
			c.Close()
		}
		_ = cmd.Process.Kill() // it may hang, as r3labs/sse does with a stalled stream
		_ = cmd.Wait()
		answers.Close()
	})
	require.NoError(t, p.answers.Decode(&p.address))
	return p
}

func (p *process) publish(count int) {
	_, err := fmt.Fprintln(p.input, count)
	require.NoError(p.t, err)
}

func (p *process) usage() (u usage) {
	p.publish(0)
	require.NoError(p.t, p.answers.Decode(&u))
	return u
}

// open opens a stream and returns once its headers have come.
func (p *process) open() (net.Conn, *bufio.Reader) {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.address)
	require.NoError(p.t, err)
	p.streams = append(p.streams, conn)
	_, err = fmt.Fprintf(conn, "GET /api/chat/events?stream=all HTTP/1.1\r\nHost: localhost\r\n"+
		"Accept: text/event-stream\r\nAuthorization: Bearer %s\r\n\r\n", apptest.TokenOf("ann"))
	require.NoError(p.t, err)
	lines := bufio.NewReaderSize(conn, 16)
	for line := ""; line != "\r\n"; {
		line, err = lines.ReadString('\n')
		require.NoError(p.t, err)
	}
	return conn, lines
}

// read opens streams and counts the events on each of them, at most the given number.
func (p *process) read(streams, events int, arrived func(stream, number int)) {
	p.t.Helper()
	p.seen, p.whole = make([]atomic.Int32, events), make(chan int, events)
	for stream := range streams {
		conn, rest := p.open()
		early, _ := rest.Peek(rest.Buffered())
		counted := bytes.Count(early, []byte(mark))
		go func() {
			buf := make([]byte, 16<<10)
			number := 0
			for {
				for range counted {
					number++
					if arrived != nil {
						arrived(stream, number)
					}
					if int(p.seen[number-1].Add(1)) == streams {
						p.whole <- number
					}
				}
				n, err := conn.Read(buf)
				if err != nil {
					return
				}
				counted = bytes.Count(buf[:n], []byte(mark))
			}
		}()
	}
}

// await waits until all streams have got so many events more.
func (p *process) await(events int) {
	p.t.Helper()
	for range events {
		select {
		case <-p.whole:
		case <-time.After(time.Minute):
			require.Fail(p.t, "an event did not arrive within a minute")
		}
	}
}

// flood publishes events as fast as all streams take them, and returns how long that took.
func (p *process) flood(events int) time.Duration {
	const credit = window / 4
	begun := time.Now()
	p.publish(window)
	for sent := window; sent < events; sent += credit {
		p.await(credit)
		p.publish(credit)
	}
	p.await(window)
	return time.Since(begun)
}
