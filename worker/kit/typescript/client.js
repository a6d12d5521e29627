// A client of Candor's jobs for agents of your own. It posts in the background and in order, so that the agent never
// waits for it. Where the server is away the agent goes on: that is said once on standard error, and what happened
// meanwhile is posted when the server is back. Text is sent as it is: the server removes secrets.

export * from "./reason.js";

const maxQueue = 1000; // events that wait for a server; what happens beyond is not told
const maxBatch = 100; // events of a post, the server's limit
const longestPause = 10_000;

/** An agent's run: a job on the page. It is opened with the first event. */
export class Job {
  #queue = []; #pump; #size = maxBatch; #dead = false; #said = false; #away = false;
  #name = Math.random().toString(36).slice(2); #events = 0; #steps = 0; #open = new Map(); #wait;

  /** Reads CANDOR_SERVER and CANDOR_TOKEN, or CANDOR_JOB and CANDOR_JOB_TOKEN of a job that somebody else opened. */
  constructor({ title = "My agent", prompt = "", server, token, job, jobToken } = {}) {
    const env = globalThis.process?.env ?? {};
    this.server = (server ?? env.CANDOR_SERVER ?? "http://127.0.0.1:8080").replace(/\/$/, "");
    this.token = token ?? env.CANDOR_TOKEN;
    this.id = job ?? env.CANDOR_JOB;
    this.jobToken = jobToken ?? env.CANDOR_JOB_TOKEN;
    this.#wait = 1000 * (Number(env.CANDOR_WAIT) || 5); // seconds, for an answer of the server and at the end
    Object.assign(this, { title, prompt: prompt || title });
  }

  /** Posts an event of docs/posting-reasoning.md. */
  post(event) {
    if (this.#dead || this.#queue.length >= maxQueue) return;
    const id = `${this.#name}-${++this.#events}`;
    try {
      this.#queue.push(JSON.stringify({ id, ...event }));
    } catch { // such as a value that refers to itself
      this.#queue.push(JSON.stringify({ id, ...event, input: undefined, output: String(event.output ?? "") }));
    }
    this.#pump ??= this.#run().finally(() => { this.#pump = undefined; });
  }

  /**
   * Tells an answer of the model: its text, its calls as {id, name, input, reason}, and why it stopped, in its
   * provider's word. Without calls it is the last. That of an agent within a call, its caller, is the call's result.
   * The caller is a call of the agent whose name is above the agent's, as ask is above ask/dig, or of the main one.
   */
  answered({ text = "", thoughts = "", calls = [], usage, agent, caller, stop } = {}) {
    this.#close(agent);
    if (calls.length) this.#open.set(agent, { agent, caller, usage, stop });
    const summary = { narrative: thoughts, narrative_source: "summary" };
    const said = text ? { narrative: text, thought: thoughts || undefined } : thoughts ? summary : {};
    const group = calls.length > 1 ? { parallel_group: this.#steps } : {};
    calls.forEach((c, i) => this.post({
      event: "tool_use", tool_name: c.name, call_id: c.id, input: c.input, rationale: c.reason || undefined, agent,
      caller, ...group, ...(i === 0 ? said : {}),
    }));
    if (calls.length) return void this.#steps++;
    const inner = caller ? { agent, caller, usage, stop } : {};
    if (thoughts || caller) this.post({ event: "reasoning", answer: true, ...(thoughts ? summary : {}), ...inner });
    if (!caller) this.post({ event: "message", role: "assistant", content: text, usage, stop });
  }

  // Ends the step of an agent.
  #close(agent) {
    if (this.#open.has(agent)) this.post({ event: "reasoning", ...this.#open.get(agent) });
    this.#open.delete(agent);
  }

  /** Tells what came of a call: its output, or its error. begun is performance.now() as it was then, if known. */
  returned({ id, name, output, error, begun, agent }) {
    const took = begun === undefined ? {} : { duration_ms: Math.round(performance.now() - begun) };
    const of = { event: "tool_result", tool_name: name, call_id: id, agent, ...took };
    if (error === undefined) this.post({ ...of, outcome: "success", output });
    else this.post({ ...of, outcome: "error", error: String(error?.message ?? error) });
  }

  /** Ends the job, and waits until all is posted, unless the server is away, but no longer than CANDOR_WAIT. */
  async end({ success = true, message = "" } = {}) {
    for (const agent of this.#open.keys()) this.#close(agent);
    this.post({ event: "result", success, message });
    const limit = performance.now() + this.#wait;
    while (this.#pump && !this.#away && performance.now() < limit) await new Promise((done) => setTimeout(done, 10));
  }

  async #run() {
    for (let pause = 500; this.#queue.length && !this.#dead;) {
      const batch = this.#queue.slice(0, this.#size);
      const refused = await this.#send(batch).catch((e) => this.#say(`is away: ${e?.cause?.code ?? e?.message}`));
      this.#away = refused < 0 || refused >= 500;
      if (refused === 0) {
        this.#queue.splice(0, batch.length);
        pause = 500;
      } else if (refused >= 400 && refused < 500 && refused !== 429) {
        if (refused === 401 || !this.id) this.#queue = [], this.#dead = true; // it was ended, or may not be opened
        else if (batch.length > 1) this.#size = 1; // one of them is wrong, and the others are not to be lost
        else this.#queue.shift();
      } else {
        await new Promise((done) => setTimeout(done, pause).unref?.());
        pause = Math.min(2 * pause, longestPause);
      }
    }
  }

  // Returns 0, or the status of a refusal.
  async #send(batch) {
    if (!this.id) {
      this.token ??= await import("node:fs")
        .then((fs) => fs.readFileSync(".candor/token", "utf8").trim()).catch(() => "");
      const asked = JSON.stringify({ title: this.title, prompt: this.prompt });
      const opened = await this.#request("/api/jobs", this.token, asked);
      if (!opened.ok) return this.#refused(opened);
      ({ job_id: this.id, token: this.jobToken } = await opened.json());
    }
    const answer = await this.#request(`/api/jobs/${this.id}/events`, this.jobToken, `{"events":[${batch}]}`);
    return answer.ok ? 0 : this.#refused(answer);
  }

  #request(path, token, body) {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    return fetch(this.server + path, { method: "POST", headers, body, signal: AbortSignal.timeout(this.#wait) });
  }

  async #refused(answer) {
    const said = (await answer.text()).slice(0, 500).replace(/\s+/g, " ").trim();
    const hint = answer.status === 401 && !this.id && "set CANDOR_TOKEN to the token of this server";
    this.#say(`refuses (${answer.status}): ${hint || said}`);
    return answer.status;
  }

  #say(what) {
    if (!this.#said) console.error(`candor: ${this.server} ${what}. The agent goes on without it.`);
    this.#said = true;
    return -1;
  }
}
