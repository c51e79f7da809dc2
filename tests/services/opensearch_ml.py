"""A cluster for tests: the API of its ML framework, in the shapes that OpenSearch documents, in front of a real (in-memory) server for everything else.
The first argument is a file to which each request is added as a line of JSON, the second the address of that server (or nothing). Says its port.

Models: `llm` answers with its prompt, `shaky` fails the first time it is asked. Agents: `a1` answers, `off` is disabled, `lost` is unknown.
Paths below `/flaky` answer 503 the first time.
With TOOLCRIB_BASIC=user:password or TOOLCRIB_BEARER=token only who says so is let in. With TOOLCRIB_TLS=certificate,key it is encrypted, and with a third file
there only who has a certificate of that authority is let in."""
import base64
import json
import os
import ssl
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

log, behind = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
lock = threading.Lock()
asked = {}
tasks = {}


def tensors(*entries):
    return {"inference_results": [{"output": list(entries)}]}


def failure(status, kind, details):
    reason = "Invalid Request" if status == 400 else "System Error"
    return status, {"status": status, "error": {"type": kind, "reason": reason, "details": details}}


def piece(content, last=False):
    return tensors({"name": "response", "dataAsMap": {"content": content, "is_last": last}})


STREAM = [
    piece('[{"index":0,"id":"c1","function":{"name":"search","arguments":""}}]'),
    piece('[{"index":0,"function":{"arguments":"{\\"q\\":\\"wind\\"}"}}]'),
    piece("It "), piece("blows."), piece("", True),
]


def predict(model, body):
    with lock:
        asked[model] = asked.get(model, 0) + 1
        times = asked[model]
    parameters = body.get("parameters", {})
    if model == "shaky" and times == 1:
        return failure(503, "OpenSearchStatusException", "Error from remote service: {\"message\":\"overloaded\"}")
    if model not in ("llm", "shaky"):
        return failure(404, "OpenSearchStatusException", f"Failed to find model with the provided model id: {model}")
    return 200, tensors({"name": "response", "dataAsMap": {"response": "said: " + parameters.get("prompt", "")}})


def agent(name, parameters, is_async):
    if name == "off":
        return failure(403, "OpenSearchStatusException", "The agent framework is disabled. To enable, update the setting plugins.ml_commons.agent_framework_enabled to true.")
    if name == "lost":
        return failure(404, "OpenSearchStatusException", "Failed to find agent with the provided agent id: lost")
    answer = tensors({"name": "memory_id", "result": "m1"}, {"name": "parent_message_id", "result": "p1"},
                     {"name": "llm", "result": "The answer to " + parameters.get("question", "?")})
    if is_async:
        tasks["t1"] = [{"task_id": "t1", "state": "RUNNING"}, {"task_id": "t1", "state": "COMPLETED", "response": answer}]
        return 200, {"task_id": "t1", "status": "RUNNING", "response": {"memory_id": "m1"}}
    return 200, answer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        size = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(size)
        with lock, open(log, "a") as file:
            names = {name.lower(): value for name, value in self.headers.items()}
            file.write(json.dumps({"method": self.command, "path": self.path, "body": raw.decode(), "headers": names}) + "\n")
        wanted = os.environ.get("TOOLCRIB_BASIC")
        if wanted and self.headers.get("authorization") != "Basic " + base64.b64encode(wanted.encode()).decode():
            return self.answer(401, b"Unauthorized", "text/plain")
        token = os.environ.get("TOOLCRIB_BEARER")
        if token and self.headers.get("authorization") != f"Bearer {token}":
            return self.answer(401, b"Unauthorized", "text/plain")
        path, _, query = self.path.partition("?")
        path = path.removeprefix("/prefix")
        if path.startswith("/flaky"):
            with lock:
                asked[path] = asked.get(path, 0) + 1
                times = asked[path]
            return self.answer(503 if times == 1 else 200, {"times": times})
        if not path.startswith("/_plugins/_ml/"):
            return self.pass_on(raw)
        parts = path.removeprefix("/_plugins/_ml/").split("/")
        body = json.loads(raw or b"{}")
        match parts:
            case ["models", model, "_predict"]:
                return self.answer(*predict(model, body))
            case ["tools", "_execute", "ListIndexTool"]:
                return self.answer(200, tensors({"name": "response", "result": "row,health\n1,green\n"}))
            case ["tools", "_execute", kind]:
                return self.answer(*failure(400, "IllegalArgumentException", f"Tool not found: {kind}"))
            case ["agents", name, "_execute"]:
                return self.answer(*agent(name, body.get("parameters", {}), "async=true" in query))
            case ["agents", _, "_execute", "stream"]:
                lines = "".join(f"data: {json.dumps(said)}\n\n" for said in STREAM)
                return self.answer(200, lines.encode(), "text/event-stream")
            case ["tasks", task] if tasks.get(task):
                told = tasks[task]
                return self.answer(200, told.pop(0) if len(told) > 1 else told[0])
            case ["memory", "message", _, "traces"]:
                trace = {"origin": "search", "trace_number": 1, "input": "wind", "response": "2 hits"}
                return self.answer(200, {"traces": [trace]})
            case ["memory", memory, "messages"]:
                message = {"memory_id": memory, "message_id": "p1", "input": "how", "response": "so"}
                return self.answer(200, {"messages": [message]})
        self.answer(400, {"error": f"no handler found for uri [{path}] and method [{self.command}]"})

    def pass_on(self, raw):
        request = urllib.request.Request(behind + self.path.removeprefix("/prefix"), raw or None, method=self.command)
        request.add_header("content-type", "application/json")
        try:
            with urllib.request.urlopen(request) as answer:
                self.answer(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.read())

    do_GET = do_POST = do_PUT = do_DELETE = handle_any


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if os.environ.get("TOOLCRIB_TLS"):
    certificate, key, *authority = os.environ["TOOLCRIB_TLS"].split(",")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(authority[0])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
