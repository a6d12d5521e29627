
// The tools whose calls wait for a person, and for how long: longer than the server, which answers in any case. The
// program has a while to tell of a call, and the server to say that it is there.
const asked = new RegExp("ASKED"), longest = 595_000, settling = 10_000, greeting = 5000

const sleep = (time) => new Promise((done) => setTimeout(done, time))

// saying returns a function that tells the person in front of the program something, and the program's log.
const saying = (client) => (message) => {
  const tell = async (how) => how().catch(() => {})
  tell(async () => client.tui.showToast({ body: { title: "Candor", message, variant: "warning" } }))
  tell(async () => client.app.log({ body: { service: "candor", level: "warn", message } }))
}

// unasked returns the hooks of a plugin without a token, which says once that nobody is asked.
const unasked = (client) => {
  let say = saying(client)
  return {
    "tool.execute.before": async ({ tool }) => {
      if (!asked.test(tool)) return
      say("CANDOR_TOKEN is not set, so that Candor asks nobody: calls go on by the settings here.")
      say = () => {}
    },
  }
}

// asking returns the hook before a call, by which the call waits until a person approved or denied it. Whatever else
// happens lets it go on.
const asking = ({ client, exchange, messages, sessionOf, told }) => {
  const say = saying(client)
  let missed = []

  // within reports whether a call is made by a program of the model's, about which a person is asked as a whole.
  const within = (callID) => asked.test("execute") && [...messages.values()].some((message) =>
    message.parts.some((part) => part.tool === "execute" && callID.startsWith(part.callID + "/")))

  // find returns the message that asks for a call, and the place of the call in it, once they are known; nothing for a
  // call that is not asked about by itself.
  const find = async (sessionID, callID) => {
    for (const end = Date.now() + settling; Date.now() < end; await sleep(20)) {
      await Promise.race([told(), sleep(patience)])
      if (within(callID)) return
      for (const message of [...messages.values()].reverse()) {
        const runs = (part) => part.callID === callID && part.state.status === "running"
        const at = message.info.sessionID === sessionID ? message.parts.findIndex(runs) : -1
        if (at >= 0) return { message, at, part: message.parts[at] }
      }
    }
    throw new Error("the call is not known")
  }

  // bodyOf returns what is posted about a call. Arguments that are too long are left out, so that nobody is asked.
  const bodyOf = async ({ message, at, part }, args) => {
    const session = await sessionOf(message.info.sessionID)
    const shorten = (_, value) => (typeof value === "string" ? value.slice(0, maxText) : value)
    const { id, parentID, directory, title, version, time } = session.info
    const parts = [...Array(at).fill(null), part]
    const body = JSON.stringify({ session: { id, parentID, directory, title, version, time }, root: session.root,
      turn: message.turn, message: message.info, parts }, shorten)
    const whole = JSON.stringify({ arguments: args })
    return `${body.slice(0, -1)},"asked":${whole.length < 16 * maxText ? whole : "{}"}}`
  }

  // ask returns the server's reply about a call, for which it waits as long as the call does.
  const ask = async (call, args) => {
    const body = await bodyOf(call, args)
    // A server that is there says so at once; how long a person takes nobody knows.
    const health = await fetch(server + "/api/health", { signal: AbortSignal.timeout(greeting) })
    if (!health.ok) throw new Error("it answers " + health.status)
    const stop = new AbortController(), late = setTimeout(() => stop.abort(), longest)
    const watch = setInterval(() => stopped(call) && stop.abort(), 200)
    try {
      return JSON.parse(await exchange("/api/hooks/opencode/ask", body, { signal: stop.signal, timeout: false }))
    } finally {
      clearTimeout(late)
      clearInterval(watch)
    }
  }

  // stopped reports whether the program ended a call that waited.
  const stopped = ({ message, at }) => message.parts[at].state.status !== "running"

  // miss notes that nobody was asked about a call, and says so of the first; those after it are counted.
  const miss = (error) => {
    if (!missed.length)
      say(`Candor could not be asked about this call (${error.message}): it goes on by the settings here.`)
    missed.push(new Date().toLocaleString())
  }

  return async ({ tool, sessionID, callID }, { args }) => {
    if (!asked.test(tool)) return
    let call, reply, failed
    try {
      call = await find(sessionID, callID)
      if (!call) return
      reply = await ask(call, args)
    } catch (error) {
      failed = error
    }
    // The program has given the call up, but would run it all the same.
    if (call && stopped(call)) throw new Error("The call was stopped while it waited for a person.")
    if (failed) return miss(failed)
    if (missed.length > 1)
      say(`Candor was away, or refused to be asked: ${missed.length} calls went on by the settings here between ` +
        `${missed[0]} and ${missed.at(-1)}.`)
    missed = []
    if (reply?.decision === "deny") throw new Error(reply.reason)
    if (reply?.message) say(reply.message)
  }
}
