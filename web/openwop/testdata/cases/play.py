#!/usr/bin/env python3
"""Plays cases against a host, and defines their format. What looks like a key is written with an @ in the files.
  play.py --base http://127.0.0.1:8080 --token T --other-token U [--keepalive-ms 500] [--file requests.json] [--name REGEX] [--version 1|2] [-v]
Needs: python >= 3.10, jsonschema >= 4.18."""
import argparse, base64, copy, glob, http.client, json, os, queue, re, socket, sys, threading, time, urllib.parse, uuid, warnings
warnings.filterwarnings("ignore")
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
HERE = os.path.dirname(os.path.abspath(__file__))
class Fail(Exception): pass

# ---------------------------------------------------------------- schemas
VAL = {}
def load(d):
    for v in (1, 2):
        S = {os.path.basename(p)[:-12]: json.load(open(p)) for p in glob.glob(f"{d}/v{v}/*.schema.json")}
        reg = Registry().with_resources([(f"https://x.invalid/v{v}/{k}.schema.json", Resource.from_contents(s)) for k, s in S.items()])
        for k in S: VAL[v, k] = Draft202012Validator({"$ref": f"https://x.invalid/v{v}/{k}.schema.json"}, registry=reg, format_checker=FormatChecker())
def valid(v, name, doc):
    e = list(VAL[v, name].iter_errors(doc))
    if e:
        def deep(x): return deep(min(x.context, key=lambda c: len(c.context))) if x.context else x
        x = deep(e[0]); raise Fail(f"not a {name} v{v}: {x.message[:200]} at /{'/'.join(map(str, e[0].absolute_path))}")

# ---------------------------------------------------------------- values
MISSING = object()
def ptr(doc, p):
    if p == "": return doc
    for t in p.split("/")[1:]:
        t = t.replace("~1", "/").replace("~0", "~")
        if isinstance(doc, dict): doc = doc.get(t, MISSING)
        elif isinstance(doc, list) and t.isdigit() and int(t) < len(doc): doc = doc[int(t)]
        else: return MISSING
        if doc is MISSING: return MISSING
    return doc
UNRES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
def seg(s): return urllib.parse.quote(str(s), safe="")
def tilde(s): return "".join(chr(b) if chr(b) in UNRES.replace("~", "") else "~%02X" % b for b in str(s).encode())
FILTER = {"seg": seg, "tilde": tilde, "raw": str, "lastSegment": lambda s: seg(str(s).split("/")[-1])}
def lookup(name, vs):
    if name.startswith("uuid:"): return vs.setdefault(name, str(uuid.uuid4()))
    if name not in vs: raise Fail(f"variable {name} was never saved")
    return vs[name]
def sub(x, vs):
    if isinstance(x, str):
        m = re.fullmatch(r"\$\{([A-Za-z0-9:]+)\}", x)
        if m: return copy.deepcopy(lookup(m.group(1), vs))
        def r(m):
            v = lookup(m.group(1), vs); v = v if isinstance(v, str) else json.dumps(v)
            return FILTER[m.group(3)](v) if m.group(3) else v
        return re.sub(r"\$\{([A-Za-z0-9:]+)(\|([A-Za-z]+))?\}", r, x)
    if isinstance(x, list): return [sub(i, vs) for i in x]
    if isinstance(x, dict): return {k: sub(v, vs) for k, v in x.items()}
    return x
def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool): return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)): return a == b
    if type(a) != type(b): return False
    if isinstance(a, dict): return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list): return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b
TYPES = {"string": str, "object": dict, "array": list, "boolean": bool}
def check1(doc, c):
    v = ptr(doc, c["pointer"]); w = f"{c['pointer']} is {json.dumps(v)[:120] if v is not MISSING else 'missing'}"
    if c.get("absent"):
        if v is not MISSING: raise Fail(w + ", should be absent")
        return
    if v is MISSING:
        if c.get("optional"): return
        raise Fail(w)
    num = isinstance(v, (int, float)) and not isinstance(v, bool)
    for k, x in c.items():
        ok = {"equals": lambda: same(v, x), "notEquals": lambda: not same(v, x), "oneOf": lambda: any(same(v, y) for y in x), "exists": lambda: True,
              "type": lambda: isinstance(v, TYPES[x]), "matches": lambda: isinstance(v, str) and re.search(x, v) is not None, "minLength": lambda: isinstance(v, str) and len(v) >= x,
              "gte": lambda: num and v >= x, "lte": lambda: num and v <= x, "lt": lambda: num and v < x, "contains": lambda: (isinstance(v, list) and any(same(y, x) for y in v)) or (isinstance(v, str) and x in v),
              "pointer": lambda: True, "optional": lambda: True}[k]()
        if not ok: raise Fail(f"{w}, wanted {k} {json.dumps(x)}")

# ---------------------------------------------------------------- one request
class Answer: pass
def genbody(g):
    n = "@@HERE@@"; t = copy.deepcopy(g["template"]); o = t; parts = g["at"].split("/")[1:]
    for p in parts[:-1]: o = o[p]
    o[parts[-1]] = n; s = json.dumps(t)
    fill = ('"' + "a" * g["string"] + '"') if "string" in g else ("[" * g["nested"] + "]" * g["nested"]) if "nested" in g else "{" + ",".join(f'"k{i}":{i}' for i in range(g["keys"])) + "}"
    return s.replace(f'"{n}"', fill).encode()
def request(env, case, st, vs, stop=None):
    path = sub(st["path"], vs); path = path if isinstance(path, str) else str(path)
    hs = {k.lower(): (k, sub(v, vs)) for k, v in st.get("headers", {}).items()}
    hs.setdefault("authorization", ("Authorization", "Bearer " + env.token))
    if case["version"] == 2: hs.setdefault("openwop-version", ("OpenWOP-Version", "2"))
    data = None
    if "body" in st: data = json.dumps(sub(st["body"], vs)).encode(); hs.setdefault("content-type", ("Content-Type", "application/json"))
    elif "bodyGen" in st: data = genbody(st["bodyGen"]); hs.setdefault("content-type", ("Content-Type", "application/json"))
    elif "rawBody" in st: data = sub(st["rawBody"], vs).encode("utf-8", "surrogatepass")
    elif "rawBodyBase64" in st: data = base64.b64decode(st["rawBodyBase64"])
    u = urllib.parse.urlsplit(env.base)
    if path.startswith("http"): q = urllib.parse.urlsplit(path); path = q.path + ("?" + q.query if q.query else "")
    a = Answer(); a.t0 = time.time(); a.frames = []; a.comments = 0; a.closed = False; a.json = MISSING; a.body = b""; a.aborted = False
    so = st.get("stream") or {}
    maxms = so.get("maxMs", 30000)
    if "maxMsVar" in so: maxms = vs[so["maxMsVar"]] * so.get("factor", 1)
    if "abortAfterMs" in st: maxms = st["abortAfterMs"]
    c = http.client.HTTPConnection(u.hostname, u.port, timeout=max(maxms / 1000, 0.001))
    try:
        c.putrequest(st["method"], u.path.rstrip("/") + path, skip_accept_encoding=True)
        for k, v in hs.values():
            if v is not None: c.putheader(k, str(v).encode("utf-8"))
        if data is not None: c.putheader("Content-Length", str(len(data)))
        elif st["method"] in ("POST", "PUT", "PATCH"): c.putheader("Content-Length", "0")
        try: c.endheaders(data)
        except (BrokenPipeError, ConnectionResetError): pass     # the host may refuse a large body before reading it
        r = c.getresponse()
    except (TimeoutError, ConnectionError, http.client.HTTPException, OSError) as e:
        c.close()
        if "abortAfterMs" in st or (st.get("expect") or {}).get("mayAbort"): a.aborted = True; return a
        raise Fail(f"{st['method']} {path[:90]}: no answer: {e!r}")
    a.status = r.status; a.headers = {k.lower(): v for k, v in r.getheaders()}
    ct = a.headers.get("content-type", "")
    if ct.startswith("text/event-stream"):
        if so.get("readNothing"):
            a.conn = (c, r)
            t = time.time() + maxms / 1000
            while time.time() < t and not (stop and stop.is_set()): time.sleep(0.02)
            c.close(); return a
        end = a.t0 + maxms / 1000; cur = {}; lines = queue.Queue(); skt = r.fp.raw._sock
        skt.settimeout(None)
        def reader():
            buf = b""
            try:
                while True:
                    line = r.readline()
                    if line == b"": break
                    buf += line
                    if buf.endswith(b"\n"): lines.put(buf); buf = b""
            except http.client.IncompleteRead: pass
            except Exception: lines.put(OSError("cut")); return
            lines.put(None)
        threading.Thread(target=reader, daemon=True).start()
        while not (stop and stop.is_set()):
            left = end - time.time()
            if left <= 0: break
            try: line = lines.get(timeout=min(left, 0.1))
            except queue.Empty: continue
            if line is None: a.closed = True; break
            if isinstance(line, OSError): break
            line = line.rstrip(b"\r\n").decode()
            if line.startswith(":"): a.comments += 1
            elif line == "":
                if "data" in cur: a.frames.append({"id": cur.get("id"), "event": cur.get("event", "message"), "data": "\n".join(cur["data"])})
                cur = {}
                if so.get("stopAfterEvents") and len(a.frames) >= so["stopAfterEvents"]: break
            else:
                f, _, v = line.partition(":"); v = v[1:] if v.startswith(" ") else v
                if f == "data": cur.setdefault("data", []).append(v)
                else: cur[f] = v
        try: skt.shutdown(socket.SHUT_RDWR)
        except OSError: pass
        a.ms = (time.time() - a.t0) * 1000; a.path = path
        return a
    else:
        try: a.body = r.read()
        except (OSError, http.client.HTTPException) as e:
            c.close()
            if "abortAfterMs" in st: a.aborted = True; return a
            raise Fail(f"body cut off: {e!r}")
        c.close()
        try: a.json = json.loads(a.body)
        except Exception: pass
    a.ms = (time.time() - a.t0) * 1000; a.path = path
    return a
def events(a):
    if a.frames or a.headers.get("content-type", "").startswith("text/event-stream"):
        out = []
        for f in a.frames:
            try: d = json.loads(f["data"])
            except Exception: continue
            out += d if isinstance(d, list) else [d]
        return [e for e in out if isinstance(e, dict) and "sequence" in e]
    return a.json.get("events") if isinstance(a.json, dict) and isinstance(a.json.get("events"), list) else []

# ---------------------------------------------------------------- expectations
TOOL = {1: ("agent.toolCalled", "agent.toolReturned", "agent.reasoning.delta"), 2: ("agent.tool-called", "agent.tool-returned", "agent.reasoning-delta")}
def strip(e, by, ign):
    e = copy.deepcopy(e); p = e.get("payload")
    if isinstance(p, dict):
        for i in ign:
            k, _, pre = i.partition("@")
            if e["type"].startswith(pre): p.pop(k, None)
    return {k: e.get(k) for k in by} if by else e
def subseq(want, have):
    i = iter(have); return all(any(x == w for x in i) for w in want)
def check_events(a, x, vs, v):
    ev = events(a); types = [e.get("type") for e in ev]; seqs = [e.get("sequence") for e in ev]
    def no(m): raise Fail(f"events: {m}; have {list(zip(seqs, types))[:40]}")
    for k, w in x.items():
        if k == "sequencesIncreasing": (w and any(b <= c for b, c in zip(seqs[1:], seqs))) and no("sequences do not increase")
        elif k == "sequencesFrom": (seqs[:1] != [w]) and no(f"first sequence is not {w}")
        elif k == "first": (types[:1] != [w]) and no(f"first is not {w}")
        elif k == "last": (types[-1:] != [w]) and no(f"last is not {w}")
        elif k == "lastIn": (not types or types[-1] not in w) and no(f"last not in {w}")
        elif k == "lastSequence": (seqs[-1:] != [w]) and no(f"last sequence is not {w}")
        elif k == "subsequence": (not subseq(w, types)) and no(f"not in this order: {w}")
        elif k == "includes": [no(f"no {t}") for t in w if t not in types]
        elif k == "excludes": [no(f"there is a {t}") for t in w if t in types]
        elif k == "count": [no(f"{types.count(t)} {t}, wanted {n}") for t, n in w.items() if types.count(t) != n]
        elif k == "maxCountOf": [no(f"{types.count(t)} {t}, at most {n}") for t, n in w.items() if types.count(t) > n]
        elif k == "maxCount": (len(ev) > w) and no(f"more than {w}")
        elif k == "exactlyOneOf": (sum(types.count(t) for t in w) != 1) and no(f"not exactly one of {w}")
        elif k == "allAfter": any(s <= w for s in seqs) and no(f"an event not after {w}")
        elif k == "each":
            for t, cs in w.items():
                for e in ev:
                    if e.get("type") == t:
                        for c in cs: check1(e, c)
        elif k == "valuesOf":
            got = [ptr(e, w["pointer"]) for e in ev if e.get("type") == w["type"]]
            (got != w["equals"]) and no(f"{w['type']}{w['pointer']} are {got}, wanted {w['equals']}")
        elif k == "pairedTools":
            call, ret, _ = TOOL[v]
            for e in ev:
                if e["type"] == ret:
                    p = e["payload"]; c = [d for d in ev if d["type"] == call and d["payload"].get("callId") == p.get("callId")]
                    if not c:
                        if p.get("status") in ("forbidden", "rate_limited"): continue
                        no(f"tool return {p.get('callId')} without its call")
                    if c[0]["sequence"] > e["sequence"]: no("return before call")
                    if e.get("causationId") != c[0]["eventId"]: no(f"causationId {e.get('causationId')} is not the eventId of its call {c[0]['eventId']}")
        elif k == "deltas":
            d = [e["payload"] for e in ev if e["type"] == TOOL[v][2]]; r = [e for e in ev if e["type"] == "agent.reasoned"]
            if "count" in w and len(d) != w["count"]: no(f"{len(d)} deltas, wanted {w['count']}")
            if [p["sequence"] for p in d] != list(range(len(d))): no("delta sequences do not run 0, 1, …")
            if len({p["agentId"] for p in d} | {e["payload"]["agentId"] for e in r}) != 1: no("more than one agentId in the block")
            if len(r) != 1: no(f"{len(r)} closing agent.reasoned")
            if w.get("concatEqualsClose") and "".join(p["delta"] for p in d) != r[0]["payload"]["reasoning"]: no("the close is not the deltas joined")
            if any(e["sequence"] > r[0]["sequence"] for e in ev if e["type"] == TOOL[v][2]): no("a delta after the close")
        elif k in ("equalTo", "subsetOf", "containsAllOf", "tailOf"):
            by = x.get("by"); ign = x.get("ignorePayloadKeys", [])
            if k == "tailOf": ref = [e for e in vs[w["var"]] if e["sequence"] > w["after"]]
            else: ref = vs[w]
            A = [strip(e, by, ign) for e in ev]; B = [strip(e, by, ign) for e in ref]
            if k in ("equalTo", "tailOf") and not same(A, B):
                i = next((i for i, (p, q) in enumerate(zip(A, B)) if not same(p, q)), min(len(A), len(B)))
                no(f"differs from the saved list at {i}: {json.dumps(A[i:i+1])[:300]} / {json.dumps(B[i:i+1])[:300]} ({len(A)} and {len(B)} events)")
            if k == "subsetOf" and not all(any(same(p, q) for q in B) for p in A): no("an event is not in the saved list")
            if k == "containsAllOf" and not all(any(same(p, q) for q in A) for p in B): no("an event of the saved list is missing")
        elif k in ("by", "ignorePayloadKeys"): pass
        else: raise SystemExit(f"unknown events check {k}")
def check_sse(a, x, vs, v):
    fr = a.frames; names = [f["event"] for f in fr]
    def no(m): raise Fail(f"sse: {m}; frames {[(f['id'], f['event']) for f in fr][:40]}, closed {a.closed}")
    if not a.headers.get("content-type", "").startswith("text/event-stream"): no("not a text/event-stream")
    def num(s):
        try: return int(s)
        except Exception: no(f"id {s!r} is not a sequence")
    for k, w in x.items():
        if k == "events": (not subseq(w, names)) and no(f"not in this order: {w}")
        elif k == "only": any(n not in w for n in names) and no(f"frames other than {w}")
        elif k == "not": any(n in w for n in names) and no(f"frames of {w}")
        elif k == "closes": (a.closed != w) and no("the host did not close the stream" if w else "the host closed the stream")
        elif k == "idsStrictlyIncreasing": (w and any(num(b["id"]) <= num(c["id"]) for b, c in zip(fr[1:], fr))) and no("ids do not increase")
        elif k == "firstId": (not fr or num(fr[0]["id"]) != w) and no(f"first id is not {w}")
        elif k == "firstIdAfter": (fr and num(fr[0]["id"]) <= int(w)) and no(f"first id is not after {w}")
        elif k == "minCount": (len(fr) < w) and no(f"fewer than {w} frames")
        elif k == "maxCount": (len(fr) > w) and no(f"more than {w} frames")
        elif k == "minComments": (a.comments < w) and no(f"{a.comments} comments, wanted {w}")
        elif k in ("idIsSequence", "eventIsType", "dataSchema"):
            for f in fr:
                try: d = json.loads(f["data"])
                except Exception: no("data is not JSON")
                for e in (d if isinstance(d, list) and x.get("batchesAllowed") else [d]):
                    if k == "dataSchema": valid(v, w, e)
                    elif k == "idIsSequence": (str(e.get("sequence")) != f["id"]) and no(f"id {f['id']} is not the sequence {e.get('sequence')}")
                    else: (e.get("type") != f["event"]) and no(f"event {f['event']} is not the type {e.get('type')}")
        elif k == "batchesAllowed": pass
        else: raise SystemExit(f"unknown sse check {k}")
def check(a, x, vs, case, st, inner=False):
    if a.aborted: return
    v = x.get("schemaOf", case["version"]); ok2 = 200 <= a.status < 300
    brief = a.body[:200].decode("utf-8", "replace")
    if not inner:
        if "status" in x:
            if a.status != x["status"]: raise Fail(f"status {a.status}, wanted {x['status']}: {brief}")
        elif "statusIn" in x:
            if a.status not in x["statusIn"]: raise Fail(f"status {a.status}, wanted one of {x['statusIn']}: {brief}")
        if "status" not in x and "statusIn" not in x and a.status >= 500 and not (x.get("allow501") and a.status == 501): raise Fail(f"status {a.status}: {brief}")
        if x.get("not2xx") and ok2: raise Fail(f"status {a.status}, wanted a refusal: {brief}")
        if a.status >= 400 and x.get("envelope", True) and st["method"] != "HEAD":
            if a.json is MISSING: raise Fail(f"status {a.status} without a JSON error envelope: {brief!r}")
            valid(v, "error-envelope", a.json)
    if "errorCode" in x and ptr(a.json, "/error") != x["errorCode"]: raise Fail(f"error code {ptr(a.json, '/error')!r}, wanted {x['errorCode']}: {brief}")
    for k, c in x.get("headers", {}).items():
        h = a.headers.get(k.lower())
        if "equals" in c and h != c["equals"]: raise Fail(f"header {k} is {h!r}, wanted {c['equals']!r}")
        if "notEquals" in c and h == c["notEquals"]: raise Fail(f"header {k} is {h!r}")
        if "matches" in c and (h is None or not re.search(c["matches"], h)): raise Fail(f"header {k} is {h!r}, wanted {c['matches']}")
    if "schema" in x:
        if a.json is MISSING: raise Fail(f"no JSON body: {brief!r}")
        valid(v, x["schema"], a.json)
    for c in x.get("json", []): check1(a.json, c)
    if x.get("jsonAny"):
        for c in x["jsonAny"]:
            try: check1(a.json, c); break
            except Fail: pass
        else: raise Fail(f"none of {x['jsonAny']}: {brief}")
    if "maxMs" in x and a.ms > x["maxMs"]: raise Fail(f"took {a.ms:.0f} ms, at most {x['maxMs']}")
    for s in x.get("bodyNot", []):
        if s and (s.encode() in a.body or any(s in f["data"] for f in a.frames)): raise Fail(f"the body contains {s!r}")
    if "sse" in x: check_sse(a, x["sse"], vs, v)
    if "events" in x: check_events(a, x["events"], vs, v)
    if "if200" in x and a.status == 200: check(a, {**x["if200"], "schemaOf": x["if200"].get("schemaOf", v)}, vs, case, st, True)
    if "ifNot2xx" in x and not ok2: check(a, {**x["ifNot2xx"], "schemaOf": v}, vs, case, st, True)
def save(a, st, vs):
    if a.aborted: return
    for name, src in st.get("save", {}).items():
        opt = src.startswith("?"); src = src[1:] if opt else src; val = MISSING
        if src == "runPath":
            if isinstance(a.json, dict) and a.json.get("runId"):
                eu = a.json.get("eventsUrl"); pre = "/v1/runs/" if st["path"].startswith("/v1") or "/v1/" in sub(st["path"], vs) else "/runs/"
                val = re.sub(r"/events$", "", urllib.parse.urlsplit(eu).path) if eu else pre + tilde(a.json["runId"])
        elif src in ("events", "+events"): val = (vs.get(name, []) if src[0] == "+" else []) + events(a)
        elif src == "lastSequence": e = events(a); val = e[-1]["sequence"] if e else vs.get(name, -1)
        elif src == "lastType": e = events(a); val = e[-1]["type"] if e else None
        elif src.startswith("event:"):
            _, t, p = src.split(":", 2); e = [e for e in events(a) if e["type"] == t]; val = ptr(e[0], p) if e else MISSING
        elif src == "sse:lastId": val = a.frames[-1]["id"] if a.frames else MISSING
        elif src.startswith("header:"): val = a.headers.get(src[7:].lower(), MISSING)
        else: val = ptr(a.json, src) if a.json is not MISSING else MISSING
        if val is MISSING:
            if opt: continue
            raise Fail(f"nothing at {src} to save: {a.body[:200]!r}")
        vs[name] = val
def cond(c, vs):
    v = vs.get(c["var"])
    if "gte" in c: return isinstance(v, int) and v >= c["gte"]
    if "lastTypeIn" in c: return bool(v) and v[-1]["type"] in c["lastTypeIn"]
    raise SystemExit(f"unknown condition {c}")
def one(env, case, st, vs, stop=None):
    x = st.get("expect", {})
    a = request(env, case, st, vs, stop)
    check(a, sub(x, vs), vs, case, st); save(a, st, vs); return a
def group(ans, g):
    two = [a for a in ans if not a.aborted and 200 <= a.status < 300]
    for k, n in g.get("atLeast", {}).items():
        m = len(two) if k == "2xx" else sum(a.status == int(k) for a in ans)
        if m < n: raise Fail(f"group: {m} answers {k}, wanted {n}; have {[a.status for a in ans]}")
    for p in g.get("sameIn2xx", []):
        if len({json.dumps(ptr(a.json, p)) for a in two}) > 1: raise Fail(f"group: {p} differs")
    for p in g.get("distinctIn2xx", []):
        if len({json.dumps(ptr(a.json, p)) for a in two}) != len(two): raise Fail(f"group: {p} not distinct")
def play(env, case):
    vs = {"token": env.token, "otherToken": env.other_token}
    if env.keepalive_ms: vs["keepaliveMs"] = env.keepalive_ms
    bg = {}; trail = []
    try:
        for i, st in enumerate(case["steps"]):
            try:
                if "wait" in st: time.sleep(st["wait"] / 1000)
                if "join" in st:
                    b = bg.pop(st["join"]); b["thread"].join()
                    if b.get("error"): raise b["error"]
                    continue
                if "method" not in st: continue
                if any(n not in vs for n in st.get("skipIfUnset", [])): continue
                if any(cond(c, vs) for c in st.get("skipIf", [])): continue
                if "background" in st:
                    b = {"stop": threading.Event()}; bg[st["background"]] = b
                    def run(st=st, b=b):
                        try: one(env, case, st, vs, b["stop"])
                        except Exception as e: b["error"] = e if isinstance(e, Fail) else Fail(repr(e))
                    b["thread"] = threading.Thread(target=run, daemon=True); b["thread"].start(); time.sleep(0.05)
                elif "parallel" in st:
                    out = [None] * st["parallel"]; V = [dict(vs) for _ in out]
                    for d in V: [lookup(n, vs) for n in re.findall(r"\$\{(uuid:[A-Za-z0-9]+)\}", json.dumps(st))]; d.update(vs)
                    def run(j):
                        try: out[j] = one(env, case, st, V[j])
                        except Exception as e: out[j] = e
                    ts = [threading.Thread(target=run, args=(j,)) for j in range(len(out))]; [t.start() for t in ts]; [t.join() for t in ts]
                    for o in out:
                        if isinstance(o, Exception): raise o if isinstance(o, Fail) else Fail(repr(o))
                    group(out, st.get("group", {}))
                    for d, o in zip(V, out):
                        if 200 <= o.status < 300: vs.update(d); break
                elif "retry" in st:
                    r = st["retry"]; end = time.time() + r["maxMs"] / 1000
                    while True:
                        try:
                            one(env, case, st, vs)
                            if all(cond(c, vs) for c in r.get("until", [])): break
                            err = Fail(f"conditions {r['until']} not reached")
                        except Fail as e:
                            if "until" in r: raise
                            err = e
                        if time.time() > end: raise Fail(f"after {r['maxMs']} ms still: {err}")
                        time.sleep(r["everyMs"] / 1000)
                else: one(env, case, st, vs)
                for n in st.get("unset", []): vs.pop(n, None)
            except Fail as e:
                raise Fail(f"step {i + 1} {st.get('method', '')} {st.get('path', st.get('join', ''))[:80]}: {e}")
    finally:
        for b in bg.values(): b["stop"].set()
def has(env, r):
    if r == "keepaliveMs": return bool(env.keepalive_ms)
    d = env.discovery
    if r == "replay": return bool(d.get("replay")) and d["replay"].get("supported", True) and "replay" in d["replay"].get("modes", ["replay"])
    if r == "streaming": return bool(ptr(d, "/agents/reasoning/streaming")) and ptr(d, "/agents/reasoning/streaming") is not MISSING
    raise SystemExit(f"unknown requirement {r}")
def main():
    p = argparse.ArgumentParser(); p.add_argument("--base", required=True); p.add_argument("--token", required=True); p.add_argument("--other-token", required=True)
    p.add_argument("--keepalive-ms", type=int); p.add_argument("--file", action="append"); p.add_argument("--name", default=""); p.add_argument("--version", type=int); p.add_argument("--schemas", default=HERE + "/../schema"); p.add_argument("-v", action="store_true")
    env = p.parse_args(); load(env.schemas); tally = {"ok": 0, "FAIL": 0, "skipped": 0}
    u = urllib.parse.urlsplit(env.base); c = http.client.HTTPConnection(u.hostname, u.port, timeout=5); c.request("GET", "/.well-known/openwop")
    try: env.discovery = json.loads(c.getresponse().read())
    except Exception: env.discovery = {}
    for f in env.file or ["requests.json", "clients.json"]:
        for case in json.loads(open(f if os.path.exists(f) else f"{HERE}/{f}").read().replace("sk-@", "sk-")):
            if not re.search(env.name, case["name"]) or (env.version and case["version"] != env.version): continue
            miss = [r for r in case.get("requires", []) if not has(env, r)]
            if miss: tally["skipped"] += 1; print(f"skipped {case['name']}: host lacks {miss}"); continue
            t = time.time()
            try: play(env, case); tally["ok"] += 1; env.v and print(f"ok      {case['name']} ({time.time() - t:.1f} s)")
            except Fail as e: tally["FAIL"] += 1; print(f"FAIL    {case['name']} [{case['basis']}]: {e}\n        why: {case['why'][:160]}")
    print(tally); sys.exit(tally["FAIL"] > 0)
if __name__ == "__main__": main()
