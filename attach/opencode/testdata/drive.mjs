// Plays OpenCode to the plugin that its argument names, once for each call of standard input: tells of the call, asks
// the hook before it, and prints what becomes of the call and what the person in front of the program is shown.
import { readFileSync } from "node:fs"

const { Candor } = await import(process.argv[2])
const calls = JSON.parse(readFileSync(0, "utf8"))
const stops = {} // by the call's id, what stops it
const real = crypto.subtle.encrypt.bind(crypto.subtle)
crypto.subtle.encrypt = (how, key, plain) => {
  const text = new TextDecoder().decode(plain)
  if (text.includes("/opencode/ask")) for (const id in stops) if (text.includes(`"callID":"${id}"`)) stops[id]()
  return real(how, key, plain)
}

const play = async (id, { tool, args, sub, stopped, broken, inner }) => {
  const shown = []
  const toasts = { showToast: async ({ body }) => shown.push(body.message) }
  const client = { tui: broken ? {} : toasts, app: { log: async () => {} },
    session: { get: async () => ({ data: { id: "s", time: { created: 1 } } }) } }
  const hooks = await Candor({ client })
  const tell = (type, properties) => hooks.event?.({ event: { type, properties } })
  const part = (status) => tell("message.part.updated", { part: { id: "p", messageID: "a", type: "tool", tool, callID: id,
    state: { status, input: { said: "by the model" }, time: { start: 3 } } } })
  const sessionID = sub ? "k" : "s"
  tell("session.created", { info: { id: sessionID, parentID: sub ? "s" : undefined, time: { created: 1 } } })
  tell("message.updated", { info: { id: "u", role: "user", sessionID, time: { created: 2 } } })
  tell("message.updated", { info: { id: "a", role: "assistant", parentID: "u", sessionID, time: { created: 2 } } })
  part("running")
  if (stopped) stops[id] = () => part("error")
  try {
    await hooks["tool.execute.before"]?.({ tool: inner ?? tool, sessionID, callID: inner ? id + "/1" : id }, { args })
  } catch (error) {
    return [id, { becomes: error.message, shown }]
  }
  return [id, { becomes: "it goes on", shown }]
}

const all = await Promise.all(Object.entries(calls).map(([id, call]) => play(id, call)))
process.stdout.write(JSON.stringify(Object.fromEntries(all)), () => process.exit())
