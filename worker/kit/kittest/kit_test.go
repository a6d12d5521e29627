package kittest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// nobody listens there.
const nobody = "http://127.0.0.1:1"

// reasonText returns how Candor's own loop asks for a reason.
func reasonText(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../../agent/rationale.go")
	require.NoError(t, err)
	m := regexp.MustCompile(`Description: "(One sentence: [^"]+)"`).FindSubmatch(raw)
	require.Len(t, m, 2)
	return string(m[1])
}

// plain are programs that need nothing from outside: agents without a library, and the handlers for Python, whose
// library is played.
var plain = map[string][]string{
	"a loop in Python":                        {"python3", "plain.py"},
	"a loop in JavaScript":                    {"node", "plain.mjs"},
	"the handler for LangChain for Python":    {"python3", "handlers.py", "langchain"},
	"the hooks for the Agents SDK for Python": {"python3", "handlers.py", "agents"},
}

// program returns how a program is run.
func program(args []string) []string {
	return append([]string{args[0], filepath.Join("programs", args[1])}, args[2:]...)
}

// TestTheKitTellsEachReasonOnce runs agents against the stand-in, and judges them by what the server has of them.
func TestTheKitTellsEachReasonOnce(t *testing.T) {
	t.Log("NOT PROVED: the kit with the real langchain-core and openai-agents for Python, which npm does not have")
	for name, args := range plain {
		t.Run(name, func(t *testing.T) {
			s, model := start(t), newStandIn(t)
			assert.Equal(t, "The port is 8080.\n", run(t, s.HTTP.URL, model, program(args)...), "and nothing else")
			for _, asked := range model.requests() {
				assert.Equal(t, "look rationale: "+reasonText(t)+"; count rationale: "+reasonText(t), asked)
			}
			judge(t, s, "there is no missing.txt")
			assert.Equal(t, 400, history(t, s, onlyJob(t, s))[0].Usage.Input, "the tokens of each answer, once")
		})
	}
}

// TestTheAgentGoesOnWithoutAServer runs the agents where nobody listens, and where a server refuses the token.
func TestTheAgentGoesOnWithoutAServer(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"unauthorized","message":"the token is not known"}`, http.StatusUnauthorized)
	}))
	t.Cleanup(refuses.Close)
	for name, args := range plain {
		for why, url := range map[string]string{"is away: ": nobody,
			"refuses (401): set CANDOR_TOKEN to the token of this server. The": refuses.URL} {
			t.Run(name+" "+why, func(t *testing.T) {
				model := newStandIn(t)
				out := run(t, url, model, program(args)...)
				assert.Contains(t, out, "The port is 8080.\n")
				assert.Contains(t, out, "candor: "+url+" "+why)
				assert.Equal(t, 1, strings.Count(out, "The agent goes on without it."), "said once: %s", out)
				assert.Len(t, model.requests(), len(plan))
			})
		}
	}
}

// TestWhatHappenedWithoutAServerIsPostedWhenItIsBack has a server that fails at first.
func TestWhatHappenedWithoutAServerIsPostedWhenItIsBack(t *testing.T) {
	for _, language := range []string{"python", "js"} {
		t.Run(language, func(t *testing.T) {
			s := start(t)
			var asked atomic.Int32
			flaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && asked.Add(1) <= 2 {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				s.HTTP.Config.Handler.ServeHTTP(w, r)
			}))
			t.Cleanup(flaky.Close)
			out := run(t, flaky.URL, newStandIn(t), map[string][]string{
				"python": {"python3", "-c", "from candor_kit import Job\nimport time\nj = Job(title='My agent')\n" +
					"j.answered('Now.', calls=[{'id': 'a', 'name': 'look', 'reason': 'To see.'}])\n" +
					"j.returned('a', 'look', output={'self': object})\nj.end()\n" +
					"for _ in range(6000): j._events.unfinished_tasks and time.sleep(.01)"},
				"js": {"node", "--input-type=module", "-e", "import { Job } from '../typescript/client.js';\n" +
					"const j = new Job(), all = {}; all.self = all;\n" +
					"j.answered({ text: 'Now.', calls: [{ id: 'a', name: 'look', reason: 'To see.' }] });\n" +
					"j.returned({ id: 'a', name: 'look', output: all }); await j.end();\n" +
					// end does not wait for a server that is away.
					"for (let n = 0; n < 6000 && await fetch(process.env.CANDOR_SERVER + '/api/jobs', { headers: " +
					"{ Authorization: 'Bearer ' + process.env.CANDOR_TOKEN } }).then((r) => r.json())" +
					".then((all) => all.jobs?.[0]?.state !== 'completed', () => true); n++) " +
					"await new Promise((done) => setTimeout(done, 10));"},
			}[language]...)
			assert.Equal(t, 1, strings.Count(out, "The agent goes on without it."), "said once: %s", out)
			log := s.JobEvents(onlyJob(t, s))
			assert.Equal(t, []string{"started", "tool_use", "tool_result", "reasoning", "result"}, apptest.KindsOf(log))
			assert.Contains(t, string(log[1].Raw), `"rationale":"To see."`)
		})
	}
}

// TestOneWrongEventLosesNoOther posts a batch with one that the server refuses. Secrets are cleaned by the server.
func TestOneWrongEventLosesNoOther(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2c3D4e5F6", 3)
	for language, command := range map[string][]string{
		"python": {"python3", "-c", "from candor_kit import Job\nj = Job()\n" +
			"j.post('tool_use', tool_name='look', call_id='a', rationale='With " + secret + "')\n" +
			"j.post('tool_use', nonsense=1)\n" +
			"j.post('tool_result', tool_name='look', call_id='a', outcome='success', output='" + secret + "')\n" +
			"j.end()"},
		"js": {"node", "--input-type=module", "-e", "import { Job } from '../typescript/client.js';\n" +
			"const j = new Job();\n" +
			"j.post({ event: 'tool_use', tool_name: 'look', call_id: 'a', rationale: 'With " + secret + "' });\n" +
			"j.post({ event: 'tool_use', nonsense: 1 });\n" +
			"j.post({ event: 'tool_result', tool_name: 'look', call_id: 'a', outcome: 'success', " +
			"output: '" + secret + "' });\n" +
			"await j.end();"},
	} {
		t.Run(language, func(t *testing.T) {
			s := start(t)
			out := run(t, s.HTTP.URL, newStandIn(t), command...)
			assert.Contains(t, out, "nonsense", "what the server says of it")
			id := onlyJob(t, s)
			assert.Equal(t, []string{"started", "tool_use", "tool_result", "result"}, apptest.KindsOf(s.JobEvents(id)))
			assert.NotContains(t, s.Get("ann", "/api/jobs/"+id+"/events").Body, secret[:12])
		})
	}
}

// TestAHookThatFailsLetsTheAgentGoOn gives hooks what no library gives them.
func TestAHookThatFailsLetsTheAgentGoOn(t *testing.T) {
	for name, command := range map[string][]string{
		"the AI SDK": {"node", "--input-type=module", "-e",
			"import { candor } from '../typescript/ai-sdk.js'; const { wrapGenerate } = candor();\n" +
				"const doGenerate = async () => ({ content: [{ type: 'text', text: 'Done.' }] });\n" +
				"const params = { prompt: [{ role: 'tool', content: [null] }] };\n" +
				"const { content } = await wrapGenerate({ doGenerate, params });\n" +
				"console.log(content[0].text);"},
		"the Agents SDK for JS": {"node", "--input-type=module", "-e",
			"import { EventEmitter } from 'node:events'; import { report } from '../typescript/openai-agents.js';\n" +
				"const runner = report(new EventEmitter()); runner.emit('agent_tool_start', {}, {}, {}, {});\n" +
				"console.log('Done.');"},
		"the Agents SDK for Python": {"python3", "-c", "import sys, types, asyncio\n" +
			"sys.modules['agents'] = types.SimpleNamespace(RunHooks=object)\n" +
			"from candor_kit.openai_agents import CandorHooks\n" +
			"asyncio.run(CandorHooks().on_tool_end(None, None, None, 'x'))\nprint('Done.')"},
	} {
		t.Run(name, func(t *testing.T) {
			out := run(t, nobody, newStandIn(t), command...)
			assert.Contains(t, out, "Done.\n")
			assert.Contains(t, out, "candor: a hook failed")
		})
	}
}

// TestFilesOfTheKitAreShort holds that each can be read at once.
func TestFilesOfTheKitAreShort(t *testing.T) {
	files, err := filepath.Glob("../typescript/*.*s")
	require.NoError(t, err)
	more, err := filepath.Glob("../python/candor_kit/*.py")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files)+len(more), 13)
	for _, name := range append(files, more...) {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Less(t, strings.Count(string(raw), "\n"), 150, name)
	}
}
