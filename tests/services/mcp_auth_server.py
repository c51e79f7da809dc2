"""An MCP server of the modern era that wants tokens, and the authorization server that gives them, on one port. Says its port when it listens. The first
argument is a file to which each request is added as a line of JSON (`path`, `query`, `form`, `authorization`, `method`, `body`); the second says how the documents are:
`right`, or what is wrong with them: `resource` (of another server), `issuer` (another one), `no-pkce`, `no-registration`, `bare` (a 401 without a
challenge, and no documents), `iss` (the page's answer names another issuer), `short` (tokens last no time, and are renewed), or `key` (no tokens: each request needs the header `X-Api-Key` with `the-servers-own-key`)."""
import base64
import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

log, how = sys.argv[1], sys.argv[2]
tokens, codes, count = {}, {}, iter(range(1, 1000))
TOOLS = [{"name": "read", "description": "Reads", "inputSchema": {"type": "object"}}, {"name": "write", "description": "Writes", "inputSchema": {"type": "object"}}]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def note(self, **members):
        url = urlsplit(self.path)
        line = {"path": url.path, "query": dict(parse_qsl(url.query)), "authorization": self.headers.get("Authorization"), **members}
        with open(log, "a") as file:
            file.write(json.dumps(line) + "\n")

    def send(self, status, document=None, **headers):
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.note()
        url = urlsplit(self.path)
        if url.path == "/authorize":
            return self.authorize(dict(parse_qsl(url.query)))
        if how in ("bare", "key"):
            return self.send(404)
        if url.path == "/.well-known/oauth-protected-resource/mcp":
            resource = "https://elsewhere.example/mcp" if how == "resource" else f"{base}/mcp"
            return self.send(200, {"resource": resource, "authorization_servers": [f"{base}/as"], "scopes_supported": ["read", "write"]})
        if url.path == "/.well-known/oauth-authorization-server/as":
            document = {"issuer": f"{base}/other" if how == "issuer" else f"{base}/as", "authorization_endpoint": f"{base}/authorize",
                        "token_endpoint": f"{base}/token", "code_challenge_methods_supported": ["S256"]}
            if how == "no-pkce":
                del document["code_challenge_methods_supported"]
            if how != "no-registration":
                document["registration_endpoint"] = f"{base}/register"
            return self.send(200, document)
        self.send(404)

    def authorize(self, query):
        code = f"code-{next(count)}"
        codes[code] = query
        answer = {"code": code, "state": query["state"]}
        if how == "iss":
            answer["iss"] = "https://evil.example"
        self.send(302, Location=query["redirect_uri"] + "?" + urlencode(answer))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/token":
            return self.token(dict(parse_qsl(body.decode())))
        message = json.loads(body)
        self.note(method=message.get("method"), body=message)
        if self.path == "/register":
            return self.send(201, {"client_id": f"client-{next(count)}"})
        given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        scope = tokens.get(given, "")
        if how == "short" and given.startswith("secret-token-first"):
            scope = ""
        if how == "key":
            scope = "a key" if self.headers.get("X-Api-Key") == "the-servers-own-key" else ""
        where = "" if how == "bare" else f'resource_metadata="{base}/.well-known/oauth-protected-resource/mcp", '
        if not scope:
            return self.send(401, {"error": "invalid_token"}, **({} if how in ("bare", "key") else {"WWW_Authenticate": f'Bearer {where}scope="read"'}))
        method, id = message["method"], message.get("id")
        if method == "tools/call" and message["params"]["name"] == "write" and "write" not in scope.split():
            return self.send(403, {"error": "insufficient_scope"}, WWW_Authenticate=f'Bearer {where}error="insufficient_scope", scope="write"')
        results = {
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
            "tools/list": {"tools": TOOLS},
            "tools/call": {"content": [{"type": "text", "text": f"done with {scope}"}]},
        }
        if method not in results:
            return self.send(404, {"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
        common = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "guarded", "version": "1"}}}
        self.send(200, {"jsonrpc": "2.0", "id": id, "result": {**results[method], **common}})

    def token(self, form):
        self.note(form=form)
        if form["grant_type"] == "refresh_token":
            name, scope = "secret-token-renewed", form["refresh_token"].removeprefix("secret-refresh-")
        else:
            asked = codes.pop(form["code"], None)
            challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
            if asked is None or challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"] or form["resource"] != asked["resource"]:
                return self.send(400, {"error": "invalid_grant"})
            name, scope = "secret-token-first", asked.get("scope", "")
        token = f"{name}-{next(count)}"
        tokens[token] = scope
        self.send(200, {"access_token": token, "token_type": "Bearer", "refresh_token": f"secret-refresh-{scope}", "expires_in": 3600})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
base = f"http://127.0.0.1:{server.server_port}"
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
