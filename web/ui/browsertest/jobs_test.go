package page_test

import (
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type fields = map[string]any

// job opens a job and shows it in a new tab.
func (s *server) job(w *tab, title, prompt string) fields {
	s.t.Helper()
	job := s.do("ann", http.MethodPost, "/api/jobs", fields{"title": title, "prompt": prompt})
	w.run(chromedp.Navigate(s.url + "/#job=" + job["job_id"].(string)))
	w.shows("#title", title)
	return job
}

func TestAJobIsShownAsItsWorkerReports(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	job := s.job(w, "Nightly report", "Sum up the week.")
	w.shows("candor-job", "Waiting for a worker")
	w.shows("candor-job pre", "candor worker --server "+s.url+" --job "+job["job_id"].(string))
	w.shows("candor-turn .headline", "for a worker")
	assert.NotContains(t, w.text("candor-job"), job["token"].(string))

	use := func(id, tool, why string) fields {
		return fields{"event": "tool_use", "tool_name": tool, "call_id": id, "input": fields{"of": id},
			"rationale": why, "narrative": "I look at **both**.", "parallel_group": 0}
	}
	result := func(id, tool, output string) fields {
		return fields{"event": "tool_result", "tool_name": tool, "call_id": id, "output": output, "outcome": "success"}
	}
	s.post(job, use("toolu_A1", "git_log", "the log has what changed"))
	s.post(job, use("chatcmpl-tool-77", "git_log", "the other branch, too"))
	w.shows(decision+"[data-call=call_1] .why", "the log has what changed")
	w.shows(decision+"[data-call=call_2] .why", "the other branch, too")
	w.shows("candor-turn .narrative strong", "both")
	w.shows("candor-job", "A worker is on it")

	s.post(job, result("chatcmpl-tool-77", "git_log", "two commits"))
	w.until("the second call ended, the first runs", `document.querySelector(
		'candor-decision[data-call=call_2][data-outcome=success]') && document.querySelector(
		'candor-decision[data-call=call_1][data-outcome=pending]')`)
	s.post(job, result("toolu_A1", "git_log", "five commits"))
	w.click(decision+"[data-call=call_1] .more", "git_log")
	w.shows(decision+"[data-call=call_1] .details", "five commits")
	w.shows(decision+"[data-call=call_1] .more .object", "toolu_A1")
	assert.Regexp(t, `^2 in parallel · ~`, w.text("candor-turn .together"), "a worker that measures nothing")

	s.post(job, fields{"event": "message", "role": "assistant", "content": "It was **quiet**."})
	w.shows("candor-turn .answer:not(.plain, .draft) strong", "quiet")
	s.post(job, fields{"event": "result", "success": true, "message": "done"})
	w.shows("candor-job", "Completed")
	w.clean()
}

func TestAFailedJobSaysWhyAndIsRestarted(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	job := s.job(w, "Nightly report", "Sum up the week.")
	s.post(job, fields{"event": "tool_result", "tool_name": "git_log", "output": "x"})
	s.post(job, fields{"event": "message", "role": "assistant", "content": "I got this far."})
	s.post(job, fields{"event": "result", "success": false, "message": "The repository is gone."})
	w.shows("candor-job .failed", "The repository is gone.")
	w.shows("candor-turn .answer", "I got this far.")

	w.click("candor-job button", "Restart")
	w.shows("#dialog", "Whoever runs the program of this job has to start it again")
	w.press("Escape")
	w.until("it is as it was", `!document.querySelector('dialog[open]')`)
	assert.NotContains(t, w.text("candor-job"), "run 2")
	w.click("candor-job button", "Restart")
	w.click("#dialog button", "Restart")
	w.shows("candor-job", "Waiting for a worker")
	w.shows("candor-job", "run 2")
	w.shows("candor-job .note", "shown until you leave this page")
	line := w.text("candor-job pre:last-of-type")
	require.Regexp(t, `^CANDOR_JOB_TOKEN=[A-Za-z0-9._-]{40,} candor worker `, line)
	w.run(chromedp.Reload())
	w.shows("candor-job .note", "was shown when the job was opened")
	w.clean()
}

// Whoever has an agent already gets a line that says a reason here, and needs nothing else.
func TestTheEmptyPageLeadsToAnAgentOfOnesOwn(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.listsAreThere()
	// The job opens by itself, as the first that begins does, before the page has its token.
	eval[bool](w, `(() => {
		const real = window.fetch;
		window.fetch = async (what, how) => {
			const answer = await real(what, how);
			if (how?.method === 'POST' && String(what).endsWith('/api/jobs')) {
				while (!document.querySelector('candor-job pre')) await new Promise((done) => setTimeout(done, 20));
			}
			return answer;
		};
		return true;
	})()`)
	w.click("#stream .notice button", "Create a job")
	w.shows("candor-job", "Waiting for a worker")
	w.shows("#title", "My agent")
	w.shows("candor-job pre", "curl "+s.url+"/api/jobs/")
	line := w.text("candor-job pre")
	out, err := exec.CommandContext(t.Context(), "bash", "-c", line+" -sS --fail-with-body").CombinedOutput()
	require.NoError(t, err, "%s", out)
	w.shows(decision+" .reason", "The latest commits show what was touched.")
	w.shows("candor-job", "A worker is on it")
	assert.Empty(t, w.text("candor-job .start"))
	w.clean()
}

func TestACallThatAWorkerDidNotNameIsMarked(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	job := s.job(w, "Nightly report", "Sum up the week.")
	s.post(job, fields{"event": "tool_use", "tool_name": "git_log", "input": fields{}})
	s.post(job, fields{"event": "tool_result", "tool_name": "git_log", "output": "two commits"})
	w.shows(decision+" .chip", "matched by name")
	w.clean()
}

// A job is exported as a conversation is: in the form that one chooses, and without what one leaves out.
func TestAJobIsExported(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	job := s.job(w, "Nightly report", "Sum up the week.")
	s.post(job, fields{"event": "tool_use", "tool_name": "git_log", "input": fields{"since": "monday"},
		"rationale": "the log has what changed"})
	s.post(job, fields{"event": "message", "role": "assistant", "content": "It was **quiet**."})
	w.shows("candor-turn .answer", "quiet")
	text := w.export("candor-job-*.md")
	assert.Contains(t, text, "the log has what changed")
	assert.Contains(t, text, "quiet")
	assert.NotContains(t, text, "monday")
	w.clean()
}

// Nobody measures the calls of an agent that reports before and after each; the log has when the reports came.
func TestCallsThatNobodyTimedHaveTheTimesOfTheirReports(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	job := s.job(w, "Nightly report", "Sum up the week.")
	use := func(id string) fields {
		return fields{"event": "tool_use", "tool_name": "t_" + id, "call_id": id, "input": fields{"of": id},
			"rationale": "the log has what changed", "parallel_group": 0}
	}
	result := func(id string) fields {
		return fields{"event": "tool_result", "tool_name": "t_" + id, "call_id": id, "output": "x"}
	}
	s.post(job, use("a"))
	s.post(job, use("b"))
	time.Sleep(60 * time.Millisecond) // the calls run
	s.post(job, result("a"))
	time.Sleep(120 * time.Millisecond)
	s.post(job, result("b"))
	w.shows(decision+"[data-call=call_1] .took", "~")
	w.until("a call that ended sooner has a shorter bar", `(() => {
		const [a, b] = [1, 2].map((n) => document.querySelector(
			'candor-decision[data-call=call_' + n + '][data-outcome=success] .ran')?.getBoundingClientRect().width);
		return a > 0 && a < b; })()`)
	w.until("it is said whose times these are", `document.querySelector('candor-decision .took').title.includes(
		'the server received its reports') && document.querySelector('.together').textContent.startsWith(
		'2 in parallel · ~')`)

	s.post(job, fields{"events": []fields{use("c"), result("c"), use("d"), result("d")}})
	w.shows(decision+"[data-call=call_4] .outcome", "success")
	w.until("calls of one post have no bar and no time", `[3, 4].every((n) => {
		const row = document.querySelector('candor-decision[data-call=call_' + n + ']');
		return !row.querySelector('.lane .ran').checkVisibility() && row.querySelector('.took').textContent === ''; })`)
	w.picture("reports.png")
	w.click("#tab-timeline", "Timeline")
	w.shows(".tl-said", "the server received its reports")
	w.shows("#timeline [data-call=call_1] .tl-took", "~")
	assert.NotContains(t, w.text("#timeline"), "are unknown")
	w.picture("reports-timeline.png")
	w.clean()
}

func TestAJobThatWasReadIsNoNewsAfterAReload(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	read := s.job(w, "Nightly report", "Sum up the week.")
	s.post(read, fields{"event": "tool_use", "tool_name": "git_log", "input": fields{}})
	w.shows(decision+" .tool", "git_log")
	at := "a[href=\"#job=" + read["job_id"].(string) + "\"]"
	w.until("it was read", `Object.keys(JSON.parse(localStorage.getItem('candor.seen') || '{}')).length === 1`)
	s.job(w, "Weekly report", "Sum up the month.")
	w.run(chromedp.Reload())
	w.shows("#jobs .live:not(.unread) a", "Nightly report")
	s.post(read, fields{"event": "tool_use", "tool_name": "git_show", "input": fields{}})
	w.shows("#jobs .unread a", "Nightly report")
	w.run(chromedp.Reload())
	w.shows("#jobs .unread a", "Nightly report")
	w.click(at, "Nightly report")
	w.clean()
}
