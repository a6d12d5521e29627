"""A client of Candor's jobs for agents of your own, with the standard library only.

It posts in the background and in order, so that the agent never waits. Where the server is away the agent goes on: it
says so once on standard error, and posts what happened when the server is back. The server removes secrets from texts.
"""

import atexit
import json
import os
import pathlib
import queue
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

MAX_QUEUE = 1000  # events that wait for a server; what happens beyond is not told
MAX_BATCH = 100  # events of a post, the server's limit


class Job:
    """An agent's run: a job on the page. It is opened with the first event.

    It reads CANDOR_SERVER and CANDOR_TOKEN, or CANDOR_JOB and CANDOR_JOB_TOKEN of a job that somebody else opened.
    """

    def __init__(self, title="My agent", prompt="", server=None, token=None, job=None, job_token=None):
        self.server = (server or os.environ.get("CANDOR_SERVER") or "http://127.0.0.1:8080").rstrip("/")
        self.token = token or os.environ.get("CANDOR_TOKEN")
        self.id = job or os.environ.get("CANDOR_JOB")
        self.job_token = job_token or os.environ.get("CANDOR_JOB_TOKEN")
        self.title, self.prompt = title, prompt or title
        self._events, self._begun = queue.Queue(MAX_QUEUE), threading.Lock()
        self._poster, self._dead, self._said, self._away = None, False, False, False
        self._steps, self._open = 0, {}  # answers with calls, by their agents
        self._wait = float(os.environ.get("CANDOR_WAIT") or 5)  # seconds, for an answer and at the end

    def post(self, event, **members):
        """Posts an event of docs/posting-reasoning.md."""
        try:
            body = {"id": uuid.uuid4().hex, "event": event, **{k: v for k, v in members.items() if v is not None}}
            with self._begun:
                self._events.put_nowait(json.dumps(body, default=str))
                if self._poster is None:
                    self._poster = threading.Thread(target=self._run, daemon=True)
                    self._poster.start()
        except Exception:  # a full queue, or what is no JSON; the agent goes on, whatever it was
            pass

    def answered(self, text="", thoughts="", calls=(), usage=None, agent=None, caller=None, stop=None):
        """Tells an answer of the model, with its calls as dicts of id, name, input and reason, and why it stopped.

        Without calls it is the last. That of an agent within a call of another, its caller, is the call's result.
        """
        if agent in self._open:
            self.post("reasoning", **self._open.pop(agent))  # ends the step before
        of = {"agent": agent, "caller": caller, "usage": usage, "stop": stop}
        self._open.update({agent: of} if calls else {})
        summary = {"narrative": thoughts, "narrative_source": "summary"} if thoughts else {}
        said = {"narrative": text, "thought": thoughts or None} if text else summary
        for i, c in enumerate(calls):
            self.post("tool_use", tool_name=c["name"], call_id=c["id"], input=c.get("input"),
                      agent=agent, caller=caller, rationale=c.get("reason") or None,
                      parallel_group=self._steps if len(calls) > 1 else None, **(said if i == 0 else {}))
        self._steps += bool(calls)
        if not calls and (thoughts or caller):
            self.post("reasoning", answer=True, **summary, **(of if caller else {}))
        if not calls and not caller:
            self.post("message", role="assistant", content=text, usage=usage, stop=stop)

    def returned(self, id, name, output=None, error=None, begun=None, agent=None):
        """Tells what came of a call: its output, or its error. begun is time.monotonic() as it was then, if known."""
        took = None if begun is None else round((time.monotonic() - begun) * 1000)
        ended = {"outcome": "success", "output": output} if error is None else {"outcome": "error", "error": str(error)}
        self.post("tool_result", tool_name=name, call_id=id, duration_ms=took, agent=agent, **ended)

    def end(self, success=True, message=""):
        """Ends the job. The program's end waits until all is posted, but no longer than CANDOR_WAIT."""
        for of in list(self._open.values()):
            self.post("reasoning", **of)
        self.post("result", success=success, message=message)
        atexit.register(self.flush)

    def flush(self):
        """Waits until all is posted, unless the server is away, but no longer than CANDOR_WAIT."""
        limit = time.monotonic() + self._wait
        while self._events.unfinished_tasks and not self._away and time.monotonic() < limit:
            time.sleep(0.01)

    def _run(self):
        pause, size, batch = 0.5, MAX_BATCH, []
        while True:
            try:
                batch = batch or [self._events.get(timeout=0.5)]
            except queue.Empty:
                with self._begun:  # an agent may have thousands of runs, and few of them say something
                    if self._events.empty():
                        self._poster = None
                        atexit.unregister(self.flush)
                        return
                continue
            while len(batch) < size and not self._events.empty():
                batch.append(self._events.get())
            refused = 0 if self._dead else self._send(batch[:size])
            self._away = refused >= 500
            if refused == 0:
                gone = min(size, len(batch))
            elif refused in (408, 429) or refused >= 500:
                time.sleep(pause)
                pause = min(2 * pause, 10.0)
                continue
            elif refused == 401 or not self.id:
                self._dead, gone = True, len(batch)  # it was ended, or may not be opened
            else:  # one of them is wrong, and the others are not to be lost
                size, gone = (1, 0) if len(batch) > 1 and size > 1 else (size, 1)
            pause, batch = 0.5, batch[gone:]
            for _ in range(gone):
                self._events.task_done()

    def _send(self, batch):
        """Returns 0, the status of a refusal, or 500 for a server that is away."""
        try:
            if not self.id:
                self.token = self.token or pathlib.Path(".candor/token").read_text(encoding="utf-8").strip()
                job = self._request("/api/jobs", self.token, json.dumps({"title": self.title, "prompt": self.prompt}))
                self.id, self.job_token = job["job_id"], job["token"]
            self._request(f"/api/jobs/{self.id}/events", self.job_token, '{"events":[' + ",".join(batch) + "]}")
            return 0
        except urllib.error.HTTPError as refusal:
            hint = "set CANDOR_TOKEN to the token of this server" if refusal.code == 401 and not self.id else ""
            said = hint or " ".join(refusal.read(500).decode(errors="replace").split())
            self._say(f"refuses ({refusal.code}): {said}")
            return refusal.code
        except Exception as away:  # whatever it is, the agent goes on
            self._say(f"is away: {away}")
            return 500

    def _request(self, path, token, body):
        head = {"Authorization": f"Bearer {token or ''}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.server + path, body.encode(), head)
        with urllib.request.urlopen(request, timeout=self._wait) as answer:
            return json.load(answer)

    def _say(self, what):
        if not self._said:
            print(f"candor: {self.server} {what}. The agent goes on without it.", file=sys.stderr)
        self._said = True
