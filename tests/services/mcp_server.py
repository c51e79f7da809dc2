"""An MCP server of the legacy era on standard input and output, whose tools do what tests want to see. The first argument says how it starts:
nothing, `fails` (says why on standard error), `prints` (a banner on standard output), `dies-on-probe`, `asks` (for the client's folders at once),
`modern` (speaks that era alone), `tasks` (has a tool whose calls become tasks, as `modern` has),
`reads` (has resources, which can be followed, prompts and a tool whose answer is an image: the bytes that the second argument is as base64), `both` (the same in the era that it is first spoken to in, with another list in each). METHODS names a file to which the method of each message is added."""
import json
import os
import sys
import threading

how = sys.argv[1] if len(sys.argv) > 1 else ""
picture = sys.argv[2] if len(sys.argv) > 2 else "aGk="
if how == "fails":
    sys.stderr.write("Traceback\nModuleNotFoundError: no module named 'nothing'\n")
    sys.exit(3)

lock = threading.Lock()
late = {}


def out(text):
    with lock:
        sys.stdout.write((text if isinstance(text, str) else json.dumps(text)) + "\n")
        sys.stdout.flush()


def result(id, **members):
    if how == "modern":
        members.setdefault("resultType", "complete")
    out({"jsonrpc": "2.0", "id": id, "result": members})


def text(id, words, **members):
    result(id, content=[{"type": "text", "text": words}], **members)


if how == "prints":
    out("Listening on stdio …")

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOLS = [
    {"name": "echo", "description": "Says it again", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
    {"name": "count", "description": "Tells how far it is", "inputSchema": {"type": "object", "properties": {"to": {"type": "integer"}}}},
    {"name": "wait", "description": "Waits until it is told to stop", "inputSchema": {"type": "object"}},
    {"name": "number", "description": "Keeps its promise, or not", "inputSchema": {"type": "object", "properties": {"n": {}}}, "outputSchema": NUMBER},
    {"name": "fail", "description": "Fails, and says why to standard error alone", "inputSchema": {"type": "object"}},
    {"name": "rubbish", "description": "Prints beside its answer", "inputSchema": {"type": "object"}},
    {"name": "die", "description": "Ends in the middle of a call", "inputSchema": {"type": "object"}},
    {"name": "ask", "description": "Asks its user", "inputSchema": {"type": "object", "properties": {"what": {"enum": ["form", "url", "model", "folders"]}}}},
    {"name": "environment", "description": "Which variables it has", "inputSchema": {"type": "object"}},
]
QUESTIONS = {
    "form": ("elicitation/create", {"mode": "form", "message": "Who are you?", "requestedSchema": {
        "type": "object", "required": ["name"],
        "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "default": 30}, "apiToken": {"type": "string"}}}}),
    "url": ("elicitation/create", {"mode": "url", "message": "Log in", "url": "https://bank.example@evil.example/login", "elicitationId": "e1"}),
    "model": ("sampling/createMessage", {"messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}], "maxTokens": 10}),
    "folders": ("roots/list", {}),
}
if how in ("tasks", "modern"):
    TOOLS.append({"name": "work", "description": "Works at a task", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}})
if how in ("reads", "both"):
    TOOLS.append({"name": "picture", "description": "Draws", "inputSchema": {"type": "object"}})
READS = {
    "resources/list": {"resources": [{"uri": "test://notes.md", "name": "notes", "mimeType": "text/markdown"},
                                     {"uri": "test://dot", "name": "dot", "mimeType": "image/png", "size": 2, "annotations": {"audience": ["user"]}}]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "test://page/{number}", "name": "page"}]},
    "prompts/list": {"prompts": [{"name": "greet", "description": "Greets", "arguments": [{"name": "who", "required": True}, {"name": "how"}]}]},
}


def read(id, method, params):
    """What can be read beside the tools."""
    if method == "prompts/get":
        blocks = [{"type": "text", "text": "Greet " + params.get("arguments", {})["who"]}, {"type": "audio", "mimeType": "audio/wav", "data": "aGk="}]
        result(id, description="A greeting", messages=[{"role": "user", "content": block} for block in blocks])
    elif method == "completion/complete":
        typed, context = params["argument"]["value"], params.get("context", {}).get("arguments", {})
        names = ["Ann", "Anton", "Bob"] + list(context.values())
        result(id, completion={"values": [name for name in names if name.startswith(typed)]})
    elif params["uri"] == "test://dot":
        result(id, contents=[{"uri": params["uri"], "mimeType": "image/png", "blob": "aGk="}])
    else:
        result(id, contents=[{"uri": params["uri"], "mimeType": "text/markdown", "text": "# " + params["uri"] + "\n"}])


if os.environ.get("MORE"):
    TOOLS[0]["inputSchema"]["required"].append("more")
    TOOLS.pop()


task = {"polls": 0, "answers": None, "arguments": {}}


def told(status, **more):
    names = {"ttlMs": 60000, "pollIntervalMs": 50} if how == "modern" else {"ttl": 60000, "pollInterval": 50}
    return {"taskId": "t1", "status": status, "createdAt": "2026-11-23T06:00:00Z", "lastUpdatedAt": "2026-11-23T06:00:01Z", **names, **more}


def about_task(id, method, params):
    """What is asked about the task; it ends at the third time, unless it goes on forever or wants to know something."""
    done = {"content": [{"type": "text", "text": "worked " + json.dumps(task["answers"], sort_keys=True)}]}
    if method == "tasks/cancel":
        with open(os.environ.get("CANCELLED", os.devnull), "w") as file:
            file.write(json.dumps(params))
        result(id, **told("cancelled"))
    elif method == "tasks/update":
        task["answers"] = params["inputResponses"]
        result(id)
    elif method == "tasks/result" and task["arguments"].get("ask") and task["answers"] is None:
        def answered(reply):
            task["answers"] = reply.get("result")
            about_task(id, method, params)
        asked[1001] = answered
        out({"jsonrpc": "2.0", "id": 1001, "method": QUESTIONS["form"][0], "params": QUESTIONS["form"][1]})
    elif method == "tasks/result":
        result(id, **done)
    else:
        task["polls"] += 1
        if task["polls"] < 2 or task["arguments"].get("forever"):
            result(id, **told("working", statusMessage="half way"))
        elif task["arguments"].get("ask") and task["answers"] is None:
            wanted = {"q": {"method": QUESTIONS["form"][0], "params": QUESTIONS["form"][1]}}
            result(id, **told("input_required", **({"inputRequests": wanted} if how == "modern" else {})))
        elif how == "modern":
            result(id, **told("completed", result={**done, "resultType": "complete"}))
        else:
            result(id, **told("completed"))


def call(id, params):
    name, arguments = params["name"], params.get("arguments", {})
    token = params.get("_meta", {}).get("progressToken")
    if name == "echo":
        text(id, str(arguments.get("text")))
    elif name == "count":
        to = arguments.get("to", 3)
        steps = ('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d"}}'
                 % (json.dumps(token), step, to, step) for step in range(1, to + 1))
        for step in steps:
            sys.stdout.write(step + "\n")
        text(id, "counted")
    elif name == "wait":
        if arguments.get("late"):
            late[id] = token
        out({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 0, "message": "waiting"}})
    elif name == "number":
        text(id, json.dumps({"n": arguments.get("n")}), structuredContent={"n": arguments.get("n")})
    elif name == "fail":
        sys.stderr.write("the database is locked\n")
        sys.stderr.flush()
        text(id, "Error executing tool fail", isError=True)
    elif name == "rubbish":
        out("debug: in rubbish")
        text(id, "fine")
    elif name == "die":
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os.kill(os.getpid(), 9)
    elif name == "ask":
        method, wanted = QUESTIONS[arguments.get("what", "form")]
        if how == "modern" and "inputResponses" in params:
            text(id, json.dumps({"state": params.get("requestState"), "again": id, "got": params["inputResponses"]}, sort_keys=True))
        elif how == "modern":
            result(id, resultType="input_required", requestState="s1", inputRequests={"q": {"method": method, "params": wanted}})
        else:
            asked[1000] = lambda reply: text(id, json.dumps(reply.get("error") or reply.get("result"), sort_keys=True))
            out({"jsonrpc": "2.0", "id": 1000, "method": method, "params": wanted})
    elif name == "work" and (how == "modern" or "task" in params):
        task["arguments"] = arguments
        if how == "modern":
            result(id, resultType="task", **told("working"))
        else:
            result(id, task=told("working"))
    elif name == "picture":
        result(id, content=[{"type": "text", "text": "a dot"}, {"type": "image", "mimeType": "image/png", "data": picture}])
    elif name == "environment":
        text(id, " ".join(sorted(os.environ)))
    else:
        out({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "Unknown tool: " + name, "data": {"n": 9007199254740993}}})


def changes(uri, **meta):
    """Says that a resource has changed, as often as a client needs to see it."""
    for _ in range(2):
        out({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri, **meta}})


asked = {}
has_reads = how in ("reads", "both")
OFFERED = {"tools": {"listChanged": True}, **({"resources": {"subscribe": True}} if has_reads else {})}
for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if method and os.environ.get("METHODS"):
        with open(os.environ["METHODS"], "a") as file:
            file.write(method + "\n")
    if method == "server/discover" and how == "dies-on-probe":
        sys.exit(1)
    if how == "both" and method == "server/discover":
        how = "modern"
        TOOLS[0]["description"] = "Says it once more"
        READS["prompts/list"]["prompts"].append({"name": "late"})
    if how == "modern" and method == "server/discover":
        result(id, supportedVersions=["2026-07-28"], capabilities={**OFFERED, "tools": {}}, ttlMs=0, cacheScope="private",
               _meta={"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "8"}})
    elif method == "initialize" and how != "modern":
        result(id, protocolVersion="2025-11-25", capabilities=OFFERED, serverInfo={"name": "test", "version": "7"},
               instructions="Echo first.\nThen count.")
    elif method == "notifications/initialized" and how == "asks":
        asked[1] = lambda reply: None
        out({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
    elif method in READS and has_reads:
        result(id, **READS[method])
    elif method in ("resources/subscribe", "resources/unsubscribe") and has_reads and how != "modern":
        result(id)
        if method == "resources/subscribe":
            changes("test://elsewhere")
            changes(message["params"]["uri"])
    elif method == "subscriptions/listen" and has_reads and how == "modern":
        wanted = message["params"]["notifications"]
        tag = {"_meta": {"io.modelcontextprotocol/subscriptionId": id}}
        out({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": wanted, **tag}})
        changes(wanted["resourceSubscriptions"][0], **tag)
    elif method in ("resources/read", "prompts/get", "completion/complete") and has_reads:
        read(id, method, message["params"])
    elif method == "ping":
        result(id)
    elif method == "tools/list":
        at = int(message.get("params", {}).get("cursor", 0))
        following = {"nextCursor": str(at + 4)} if at + 4 < len(TOOLS) else {}
        result(id, tools=TOOLS[at:at + 4], **following)
    elif method == "tools/call":
        call(id, message["params"])
    elif method and method.startswith("tasks/"):
        about_task(id, method, message["params"])
    elif method == "notifications/cancelled":
        with open(os.environ.get("CANCELLED", os.devnull), "w") as file:
            file.write(json.dumps(message["params"]))
        if message["params"]["requestId"] in late:
            id = message["params"]["requestId"]
            out({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": late[id], "progress": 1, "message": "still at work"}})
            text(id, "done all the same")
    elif method is None and id in asked:
        asked.pop(id)(message)
    elif id is not None and method is not None:
        out({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
