"""An MCP server on standard input and output that is served again through toolcrib: the tools that the scenarios of
`@modelcontextprotocol/conformance` call by name, as far as a server can have them that asks nothing of its client."""
import json
import sys
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


def out(**message):
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
    out(id=id, result={"content": ANSWERS[name]})


for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if method == "initialize":
        out(id=id, result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}}, "serverInfo": {"name": "fixture", "version": "1"}})
    elif method == "tools/list":
        out(id=id, result={"tools": TOOLS})
    elif method == "tools/call":
        call(id, message["params"])
    elif id is not None:
        out(id=id, error={"code": -32601, "message": "Method not found"})
