"""An MCP server on standard input and output that is served again through toolcrib: the tools, resources and prompts that the scenarios of
`@modelcontextprotocol/conformance` want by name, and what its tools ask of their client."""
import json
import sys
import threading
import time

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA = {
    "$schema": DIALECT, "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                   "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": False,
}
NOTHING = {"type": "object"}


def text(words):
    return {"type": "text", "text": words}


def resource(uri):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": "text/plain", "text": "This is an embedded resource content."}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
ANSWERS = {
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [resource("test://embedded-resource")],
    "test_multiple_content_types": [text("Multiple content types test:"), IMAGE, resource("test://mixed-content-resource")],
    "test_tool_with_logging": [text("done")],
    "test_logging_tool": [text("done")],
    "test_tool_with_progress": [text("done")],
    "json_schema_2020_12_tool": [text("ok")],
    "test_trigger_tool_change": [text("there are other tools now")],
    "only_after_the_change": [text("here")],
}
HEADERS = {"type": "object", "properties": {
    "region": {"type": "string", "x-mcp-header": "Region"}, "priority": {"type": "integer", "x-mcp-header": "Priority"}, "query": {"type": "string"}}}
TOOLS = [{"name": name, "description": "Of the fixture", "inputSchema": SCHEMA if name.startswith("json_") else NOTHING} for name in ANSWERS]
TOOLS.append({"name": "test_custom_headers", "description": "Wants arguments as headers", "inputSchema": HEADERS})
ANSWERS["test_custom_headers"] = [text("routed")]


def choices(name, *values):
    return [{name: value, "title": title} for value, title in values]


TITLED = ("value1", "First"), ("value2", "Second"), ("value3", "Third")
QUESTIONS = {
    "test_elicitation": {"username": {"type": "string", "description": "User's response"}, "email": {"type": "string", "description": "User's email address"}},
    "test_elicitation_sep1034_defaults": {
        "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}, "verified": {"type": "boolean", "default": True}},
    "test_elicitation_sep1330_enums": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]}, "titledSingle": {"type": "string", "oneOf": choices("const", *TITLED)},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": choices("const", *TITLED)}}},
}
for name in (*QUESTIONS, "test_sampling"):
    argument = {"test_elicitation": "message", "test_sampling": "prompt"}.get(name)
    schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]} if argument else NOTHING
    TOOLS.append({"name": name, "description": "Asks its client", "inputSchema": schema})
# Calls that take their time: how long until they answer, ask or fail.
SLOW = {"slow_compute": None, "failing_job": 1.3, "protocol_error_job": 1.3, "confirm_delete": 1.3, "test_reconnection": 0.2}
for name, properties in {"greet": ("name",), "slow_compute": ("label",), "confirm_delete": ("filename",)}.items():
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in properties}}
    if name == "slow_compute":
        schema["properties"]["seconds"] = {"type": "number"}
    TOOLS.append({"name": name, "description": "For tasks", "inputSchema": schema})
TOOLS += [{"name": name, "description": "For tasks", "inputSchema": NOTHING} for name in ("failing_job", "protocol_error_job", "test_reconnection")]
QUESTIONS["confirm_delete"] = {"confirm": {"type": "boolean"}}
asked = {}


def work(id, name, arguments):
    """Takes its time, then ends as its name says."""
    time.sleep(arguments.get("seconds", 0) if SLOW[name] is None else SLOW[name])
    if name == "confirm_delete":
        ask(id, name, arguments)
    elif name == "protocol_error_job":
        out(id=id, error={"code": -32603, "message": "The job broke"})
    else:
        out(id=id, result={"content": [text(f"{name} is done")], "isError": name == "failing_job"})


def ask(id, name, arguments):
    """Asks the client; its answer is the tool's."""
    number = f"ask-{len(asked)}"
    if name == "test_sampling":
        message = {"role": "user", "content": text(arguments["prompt"])}
        out(id=number, method="sampling/createMessage", params={"messages": [message], "maxTokens": 100})
    else:
        properties = QUESTIONS[name]
        schema = {"type": "object", "properties": properties, "required": list(properties) if name == "test_elicitation" else []}
        out(id=number, method="elicitation/create", params={"message": arguments.get("message", "Please answer"), "requestedSchema": schema})
    asked[number] = id


READ = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://template/123/data": {"mimeType": "application/json", "text": json.dumps({"id": "123", "templateTest": True, "data": "Data for ID: 123"})},
}
LISTS = {
    "resources/list": {"resources": [{"uri": uri, "name": uri.split("//")[1], "mimeType": READ[uri]["mimeType"]} for uri in list(READ)[:2]]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "data"}]},
    "prompts/list": {"prompts": [{"name": "test_" + name, "description": "Of the fixture", "arguments": [{"name": one, "required": True} for one in wanted]} for name, wanted in (
        ("simple_prompt", ()), ("prompt_with_arguments", ("arg1", "arg2")), ("prompt_with_embedded_resource", ("resourceUri",)), ("prompt_with_image", ()))]},
    "completion/complete": {"completion": {"values": ["test-value"], "total": 1, "hasMore": False}},
}


def prompt(name, given):
    if name == "test_prompt_with_arguments":
        blocks = [text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
    elif name == "test_prompt_with_embedded_resource":
        blocks = [resource(given["resourceUri"]), text("Please process the embedded resource above.")]
    elif name == "test_prompt_with_image":
        blocks = [IMAGE, text("Please analyze the image above.")]
    else:
        blocks = [text("This is a simple prompt for testing.")]
    return {"messages": [{"role": "user", "content": block} for block in blocks]}


writing = threading.Lock()


def out(**message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def call(id, params):
    name, token = params["name"], params.get("_meta", {}).get("progressToken")
    if name in ("test_tool_with_logging", "test_logging_tool"):
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            out(method="notifications/message", params={"level": "info", "logger": "fixture", "data": words})
            time.sleep(0.05)
    if name == "test_tool_with_progress":
        for step in (0, 50, 100):
            out(method="notifications/progress", params={"progressToken": token, "progress": step, "total": 100})
            time.sleep(0.05)
    if name in SLOW:
        return threading.Thread(target=work, args=(id, name, params.get("arguments", {})), daemon=True).start()
    if name == "greet":
        return out(id=id, result={"content": [text(f"Hello, {params['arguments']['name']}!")]})
    if name in ANSWERS:
        return out(id=id, result={"content": ANSWERS[name]})
    ask(id, name, params.get("arguments", {}))


for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if method == "initialize":
        out(id=id, result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}, "resources": {"subscribe": True}, "prompts": {}, "completions": {}}, "serverInfo": {"name": "fixture", "version": "1"}})
    elif method is None and id in asked:
        out(id=asked[id], result={"content": [text("The client answers " + json.dumps(message.get("result") or message.get("error")))]})
    elif method in LISTS:
        out(id=id, result=LISTS[method])
    elif method in ("resources/subscribe", "resources/unsubscribe"):
        out(id=id, result={})
    elif method == "prompts/get":
        out(id=id, result=prompt(message["params"]["name"], message["params"].get("arguments", {})))
    elif method == "resources/read":
        uri = message["params"]["uri"]
        if uri in READ:
            out(id=id, result={"contents": [{"uri": uri, **READ[uri]}]})
        else:
            out(id=id, error={"code": -32002, "message": "Resource not found", "data": {"uri": uri}})
    elif method == "tools/list":
        out(id=id, result={"tools": TOOLS})
    elif method == "tools/call":
        call(id, message["params"])
    elif id is not None:
        out(id=id, error={"code": -32601, "message": "Method not found"})
