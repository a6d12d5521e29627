// Candor's plugin for OpenCode. It reports what the agent does to a server of yours, and changes nothing of it.
// candor attach opencode wrote this file; candor attach opencode --undo removes it.
const server = "SERVER"

// The bounds of what is kept and sent: messages and sessions that are remembered, the payloads that wait, the length of
// a text, and for how long a server is waited for.
const maxKnown = 200, maxWaiting = 500, maxText = 65536, patience = 2000

export const Candor = async ({ client }) => {
  const token = process.env.CANDOR_TOKEN
  if (!token) return {} // without a token nothing can be reported

  // exchange posts a body to the server in an envelope, which shows nothing of it or of the token to whoever else may
  // listen there, and returns the body of the answer. Only the server can make one.
  const exchange = async (path, body, options) => {
    const bytes = (text) => new TextEncoder().encode(text), fails = (why) => Promise.reject(new Error(why))
    const derive = (what) => crypto.subtle.digest("SHA-256", bytes(`candor envelope ${what}\0${token}`))
    const key = async (what, use) => crypto.subtle.importKey("raw", await derive(what), "AES-GCM", false, [use])
    const name = [...new Uint8Array(await derive("name")).slice(0, 8)].map((b) => b.toString(16).padStart(2, "0"))
    const header = { "Content-Type": ["application/json"] }, at = Math.floor(Date.now() / 1000)
    const head = { at, method: "POST", path, header }
    const iv = crypto.getRandomValues(new Uint8Array(12)), plain = bytes(JSON.stringify(head) + "\n" + body)
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key("request", "encrypt"), plain)
    const reply = await fetch(server + "/api/envelope", { ...options, method: "POST", body: new Blob([iv, sealed]),
      headers: { "Content-Type": "application/octet-stream", Authorization: "Envelope " + name.join("") } })
    if (!reply.ok) return fails("it answers " + reply.status)
    const raw = new Uint8Array(await reply.arrayBuffer())
    const sealing = { name: "AES-GCM", iv: raw.slice(0, 12), additionalData: iv }
    const answer = await crypto.subtle.decrypt(sealing, await key("answer", "decrypt"), raw.slice(12))
      .catch(() => fails("its answer is not that of a server with this token"))
    const text = new TextDecoder().decode(answer), end = text.indexOf("\n"), { status } = JSON.parse(text.slice(0, end))
    if (status >= 300) return fails("it answers " + status)
    return text.slice(end + 1)
  }

  const sessions = new Map(), messages = new Map()
  let waiting = 0, queue = Promise.resolve()

  // copyOf returns a copy, since the program goes on to change what it tells of; what is no data has none.
  const copyOf = (event) => {
    try {
      return JSON.parse(JSON.stringify(event))
    } catch {
      return {}
    }
  }

  // keep remembers a value, and forgets the oldest if there are too many.
  const keep = (map, id, value) => {
    map.delete(id)
    map.set(id, value)
    if (map.size > maxKnown) map.delete(map.keys().next().value)
    return value
  }

  // sessionOf returns a session with the one that the person speaks to, and the turn that is running in it.
  const sessionOf = async (id, info) => {
    const known = sessions.get(id)
    if (known && !info) return known
    if (!info) info = (await client.session.get({ path: { id } })).data
    const above = info.parentID ? await sessionOf(info.parentID) : undefined
    return keep(sessions, id, { info, root: above ? above.root : id, above, turn: known?.turn ?? above?.turn ?? "" })
  }

  // post sends some parts of a message; those that are not sent are null, so that each keeps its place.
  const post = async (message, which) => {
    const session = await sessionOf(message.info.sessionID)
    if (message.info.time.created < session.info.time.created) return // a copy, at the beginning of a fork
    let cut = false
    const shorten = (_, value) => {
      if (typeof value !== "string" || value.length <= maxText) return value
      cut = true
      return value.slice(0, maxText)
    }
    const { id, parentID, directory, title, version, time } = session.info
    const payload = { session: { id, parentID, directory, title, version, time }, root: session.root,
      turn: message.turn, message: message.info, parts: message.parts.map((part) => (which(part) ? part : null)) }
    const body = JSON.stringify(payload, shorten)
    await exchange("/api/hooks/opencode", cut ? body.slice(0, -1) + ',"cut":true}' : body,
      { signal: AbortSignal.timeout(patience) })
  }

  // takeMessage remembers a message, and sends an answer with its texts and its cost once it is over.
  const takeMessage = async (info) => {
    const session = await sessionOf(info.sessionID)
    const known = messages.get(info.id) ?? { parts: [] }
    if (info.role === "assistant" && !session.above) session.turn = info.parentID
    if (info.role === "user" && session.above) session.turn = session.above.turn
    const turn = session.above ? session.turn : info.role === "user" ? info.id : info.parentID
    const message = keep(messages, info.id, { info, parts: known.parts, turn: known.turn ?? turn })
    if (info.role === "assistant" && info.time.completed && !known.info?.time.completed)
      await post(message, (part) => part.type !== "tool")
  }

  // takePart sends a person's text, a text of the model that is whole, and a call as it begins and as it ends.
  const takePart = async (part) => {
    const message = messages.get(part.messageID)
    if (!message) return
    const at = message.parts.findIndex((known) => known.id === part.id)
    const before = message.parts[at]
    message.parts[at < 0 ? message.parts.length : at] = part
    const status = part.state?.status
    const tells = part.type === "tool" ? status !== "pending" && (status !== before?.state?.status || status !== "running")
      : message.info.role === "user" || ((part.type === "text" || part.type === "reasoning") && part.time?.end)
    if (tells) await post(message, (other) => other === part)
  }

  const take = async ({ type, properties }) => {
    if (type === "session.created" || type === "session.updated") await sessionOf(properties.info.id, properties.info)
    if (type === "message.updated") await takeMessage(properties.info)
    if (type === "message.part.updated") await takePart(properties.part)
  }

  return {
    // The program does not wait for this. What fails is not reported, and changes nothing.
    event: ({ event }) => {
      if (!/^(session\.(created|updated)|message\.(part\.)?updated)$/.test(event.type) || waiting >= maxWaiting) return
      waiting++
      const now = copyOf(event)
      queue = queue.then(() => take(now)).catch(() => {}).finally(() => waiting--)
    },
    // When the program ends, what waits has a moment.
    dispose: () => Promise.race([queue, new Promise((done) => setTimeout(done, patience))]),
  }
}
