"""An MCP server over HTTP, whose tools do what tests want to see. Says its port when it listens. The first argument is a file to which each request is
added as a line of JSON (`verb`, `path`, `headers`, `method`); the second says what it is:
`legacy` (sessions, a GET stream, streams that break and are resumed), `modern` (that era alone), `old` (the transport of 2024-11-05, at /sse),
`moved` (legacy, at /mcp/ by a redirect), `elsewhere` (redirects to another origin), `forgets`, `forgets-json`, `forgets-400`, `forgets-always` (legacy; the first call of a tool, or each, ends the session: answered with 404, with
404 or 400 and a JSON-RPC error as servers of the SDKs do), `restarts` (legacy; it forgets its sessions while `breaks` or `work` is under way), `moves` (legacy;
what is left of a stream is elsewhere, by a redirect),
`broken` (answers everything with 500)."""
import json
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

log, how = sys.argv[1], sys.argv[2]
lock = threading.Lock()
sessions = {}
count = iter(range(1, 1_000_000))
forgotten = []

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = [
    {"name": "echo", "description": "Says it again", "inputSchema": TEXT},
    {"name": "stream", "description": "Tells how far it is on the way", "inputSchema": {"type": "object"}},
    {"name": "breaks", "description": "Its stream breaks before the answer", "inputSchema": {"type": "object"}},
    {"name": "ends", "description": "Its stream ends for good", "inputSchema": {"type": "object"}},
    {"name": "work", "description": "Becomes a task", "inputSchema": {"type": "object"}},
    {"name": "ask", "description": "Asks for the client's folders on the GET stream", "inputSchema": {"type": "object"}},
    {"name": "wait", "description": "Waits until nobody listens", "inputSchema": {"type": "object"}},
    {"name": "mirrored", "description": "Wants an argument among the headers",
     "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}},
    {"name": "wrong-header", "description": "Names a header that cannot be",
     "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Re gion"}}}},
]


class Session:
    def __init__(self):
        self.stream = queue.Queue()
        self.events = []
        self.replies = {}

    def keep(self, message):
        """Keeps an event for who asks for it after its stream has broken; gives its id."""
        self.events.append(message)
        return len(self.events)


def event(message, id=None, retry=None, name=None):
    text = "" if message is None else json.dumps(message)
    lines = [f"event: {name}"] if name else []
    lines += [f"id: {id}"] if id is not None else []
    lines += [f"retry: {retry}"] if retry is not None else []
    return ("\n".join(lines + [f"data: {text}"]) + "\n\n").encode()


def result(id, **members):
    if how == "modern":
        members.setdefault("resultType", "complete")
    return {"jsonrpc": "2.0", "id": id, "result": members}


def text(id, words):
    return result(id, content=[{"type": "text", "text": words}])


def error(id, code, message, **members):
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, **members}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def note(self, method=None, message=None):
        headers = {name.lower(): value for name, value in self.headers.items()}
        with lock, open(log, "a") as file:
            file.write(json.dumps({"verb": self.command, "path": self.path, "headers": headers, "method": method, "message": message}) + "\n")

    def send(self, status, message=None, **headers):
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def write(self, *parts):
        for part in parts:
            self.wfile.write(part)
        self.wfile.flush()

    def session(self):
        return sessions.get(self.headers.get("Mcp-Session-Id"))

    def do_DELETE(self):
        self.note()
        sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        self.send(204)

    def do_GET(self):
        self.note()
        if how == "old" and self.path == "/sse":
            name = str(next(count))
            session = sessions[name] = Session()
            self.begin_stream()
            self.write(b": hello\n\n", b"event: endpoint\ndata: /messages?session=" + name.encode() + b"\n\n")
            return self.pour(session)
        session = self.session()
        if how == "restarts" and session is None:
            return self.send(404)
        if how in ("modern", "old") or session is None:
            return self.send(405)
        last = self.headers.get("Last-Event-ID")
        if how == "moves" and last is not None and self.path == "/mcp":
            return self.send(307, Location="/mcp/")
        if last is not None:
            self.begin_stream()
            missed = session.events[int(last):]
            self.write(*(event(message, id=int(last) + at + 1) for at, message in enumerate(missed)))
            return
        self.begin_stream()
        self.pour(session)

    def pour(self, session):
        name = "message" if how == "old" else None
        while (message := session.stream.get()) is not None:
            try:
                self.write(event(message, name=name))
            except OSError:
                return

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        message = json.loads(body)
        id, method, params = message.get("id"), message.get("method"), message.get("params", {})
        self.note(method, message)
        if how == "broken":
            return self.send(500)
        if how == "moved" and self.path == "/mcp":
            return self.send(307, Location="/mcp/")
        if how == "elsewhere":
            return self.send(307, Location=f"http://localhost:{server.server_port}/other")
        if how == "old":
            return self.old(id, method, params)
        if how == "modern":
            return self.modern(id, method, params)
        self.legacy(id, method, params, message)

    def old(self, id, method, params):
        if not self.path.startswith("/messages?session="):
            return self.send(404)
        session = sessions[self.path.split("=")[1]]
        if method == "initialize":
            answer = result(id, protocolVersion="2024-11-05", capabilities={"tools": {}}, serverInfo={"name": "http", "version": "1"})
        elif method == "tools/list":
            answer = result(id, tools=TOOLS[:1])
        elif method == "tools/call":
            answer = text(id, str(params.get("arguments", {}).get("text")))
        else:
            answer = error(id, -32601, "Method not found") if id is not None else None
        self.send_response(202)
        self.send_header("Content-Length", "8")
        self.end_headers()
        self.write(b"Accepted")
        if answer:
            session.stream.put(answer)

    def modern(self, id, method, params):
        version = params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion")
        if self.headers.get("MCP-Protocol-Version") != version or self.headers.get("Mcp-Method") != method:
            return self.send(400, error(id, -32020, "Header mismatch"))
        if version != "2026-07-28":
            return self.send(400, error(id, -32022, "Unsupported version", data={"supported": ["2026-07-28"]}))
        if method == "server/discover":
            return self.send(200, result(id, supportedVersions=["2026-07-28"], capabilities={"tools": {}}, ttlMs=0, cacheScope="private",
                                         _meta={"io.modelcontextprotocol/serverInfo": {"name": "http", "version": "1"}}))
        if method == "tools/list":
            return self.send(200, result(id, tools=TOOLS, ttlMs=0, cacheScope="private"))
        if method != "tools/call":
            return self.send(404, error(id, -32601, "Method not found"))
        self.call(id, params, None)

    def legacy(self, id, method, params, message):
        if method == "initialize":
            name = f"session-{next(count)}"
            session = sessions[name] = Session()
            return self.send(200, result(id, protocolVersion="2025-11-25", capabilities={"tools": {"listChanged": True}},
                                         serverInfo={"name": "http", "version": "1"}), Mcp_Session_Id=name)
        if self.headers.get("Mcp-Session-Id") is None:
            return self.send(400, error(None, -32600, "No session"))
        session = self.session()
        if session is None:
            return self.send(404)
        if method == "tools/call" and self.forgets():
            session.stream.put(None)
            if how == "forgets-400":
                return self.send(400, error(None, -32000, "Bad Request: No valid session ID provided"))
            return self.send(404, error(None, -32600, "Session not found") if how == "forgets-json" else None)
        if method is None:
            session.replies[id].put(message)
            return self.send(202)
        if id is None:
            return self.send(202)
        if method == "ping":
            return self.send(200, result(id))
        if method == "tools/list":
            return self.send(200, result(id, tools=TOOLS))
        if method != "tools/call":
            return self.send(200, error(id, -32601, "Method not found"))
        self.call(id, params, session)

    def forgets(self):
        """Forgets all sessions at the first call, or at each one; whether it did."""
        with lock:
            does = how == "forgets-always" or how.startswith("forgets") and not forgotten
            if does:
                forgotten.append(True)
                sessions.clear()
        return does

    def restart(self, session):
        """Forgets all sessions, where it does so."""
        if how == "restarts":
            sessions.clear()
            session.stream.put(None)

    def call(self, id, params, session):
        name, arguments = params["name"], params.get("arguments", {})
        token = params.get("_meta", {}).get("progressToken")
        progress = lambda at: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": at, "total": 2}}
        if name == "echo":
            return self.send(200, text(id, str(arguments.get("text"))))
        if name == "work":
            times = {name: "2026-11-23T06:00:00Z" for name in ("createdAt", "lastUpdatedAt")}
            self.restart(session)
            return self.send(200, result(id, task={"taskId": "t1", "status": "working", "ttl": 60_000, "pollInterval": 1, **times}))
        if name == "mirrored":
            return self.send(200, text(id, str(self.headers.get("Mcp-Param-Region"))))
        if name == "ask":
            asked = next(count)
            session.replies[asked] = queue.Queue()
            session.stream.put({"jsonrpc": "2.0", "id": asked, "method": "roots/list"})
            reply = session.replies[asked].get()
            return self.send(200, text(id, json.dumps(reply.get("error") or reply.get("result"), sort_keys=True)))
        self.begin_stream()
        if name == "stream":
            self.write(event(None), event(progress(1)), event(progress(2)), event(text(id, "streamed")))
        elif name == "breaks":
            self.write(event(None, id=session.keep(None), retry=1))
            session.keep(progress(1))
            session.keep(text(id, "resumed"))
            self.restart(session)
        elif name == "ends":
            self.write(event(progress(1), id=1 if session is None else None, retry=1))
        elif name == "wait":
            self.write(event(progress(1)))
            # It learns that nobody listens when nothing more can be read.
            self.connection.recv(1)
            self.note("hung up")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
