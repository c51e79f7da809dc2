"""Random inputs, and the answers of the real code to them, in the shape of `tests/vectors/commonground.json`."""

from __future__ import annotations

import json
import random
from typing import Any, Callable

import real

TEXTS = [
    "", " ", "a", "b", "on", "suspend", "terminate", " suspend ", "later", "success", "failed", "{project_id}", "{agent_id}/{step_id}",
    "{agent_turn_id}", "{{project_id}}", "{user}", "{turn_epoch}", "\u3000", "\x1f", "é", "\u200b", "it's", 'say "x"', "\n", "42", "null",
    "_raw", "__cg_control", "__type__", "KEY", " KEY\n", "tool.result", "call_a1", "x" * 40, "\x7f", "\U0001f600", "code", "message",
]
NAMES = ["a", "b", "c", "q", "query", "code", "message", "error_code", "error_message", "detail", "error", "_raw", "__cg_control", "__type__",
         "1", "", " ", "after_execution", "status", "é"]


class Make:
    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def one(self, *items: Any) -> Any:
        return self.random.choice(items)

    def some(self, chance: float) -> bool:
        return self.random.random() < chance

    def text(self) -> str:
        return self.one(*TEXTS)

    def scalar(self) -> Any:
        return self.one(
            None, True, False, 0, 1, -7, 2.5, 0.0, 1e16, 1e-5, 10**22, 2**63, -0.25, self.text(), self.text(), self.text()
        )

    def value(self, depth: int = 0) -> Any:
        if depth > 2 or self.some(0.6):
            return self.scalar()
        if self.some(0.5):
            return [self.value(depth + 1) for _ in range(self.random.randrange(3))]
        return self.members(depth + 1)

    def members(self, depth: int = 0, names: list[str] = NAMES) -> dict:
        return {self.one(*names): self.value(depth + 1) for _ in range(self.random.randrange(4))}

    def perhaps(self, into: dict, name: str, make: Callable[[], Any], chance: float = 0.5) -> None:
        if self.some(chance):
            into[name] = make()


def options(make: Make) -> Any:
    if make.some(0.05):
        return make.scalar()
    own, args = {}, {}
    make.perhaps(args, "defaults", lambda: make.members() if make.some(0.9) else make.scalar(), 0.7)
    make.perhaps(args, "fixed", lambda: make.members() if make.some(0.9) else make.scalar(), 0.7)
    make.perhaps(own, "args", lambda: args if make.some(0.9) else make.scalar(), 0.9)
    make.perhaps(own, "envs", lambda: {make.one(*NAMES): make.scalar() for _ in range(2)} if make.some(0.9) else make.scalar(), 0.6)
    return own


def variables(make: Make) -> dict:
    text = lambda: make.one(None, "", " ", "x", " padded\t", "{agent_id}", "{context_box_id}", "v1")
    given = {"project_id": make.one("demo", " demo ", "{agent_id}"), "agent_id": make.one("bob", "caller.1", "{project_id}")}
    for name in ("channel_id", "agent_turn_id", "step_id", "tool_call_id", "trace_id", "parent_agent_id", "parent_agent_turn_id",
                 "parent_step_id", "context_box_id"):
        make.perhaps(given, name, text, 0.7)
    make.perhaps(given, "turn_epoch", lambda: make.one(0, 3, None))
    make.perhaps(given, "recursion_depth", lambda: make.one(0, 2))
    return real.context(given)


def arguments(make: Make) -> dict:
    case = {"given": make.members(), "options": options(make), "context": variables(make)}
    return {**case, "expect": real.merge(case["given"], case["options"], case["context"])}


def model_arguments(make: Make) -> dict:
    raw = make.value()
    if make.some(0.6):
        raw = json.dumps(raw) + make.one("", "", "", " ", ",", "}")
    return {"raw": raw, "expect": real.given_arguments(raw)}


def model_schema(make: Make) -> dict:
    properties = {name: make.one({"type": "string"}, {"default": 1}, {}, "odd") for name in make.random.sample(NAMES, 3)}
    parameters = {"type": "object", "properties": properties}
    make.perhaps(parameters, "required", lambda: make.random.sample(NAMES, 2))
    case = {"parameters": parameters, "options": options(make)}
    return {**case, "expect": real.model_schema(case["parameters"], case["options"])}


def tool_results(make: Make) -> dict:
    after = lambda: make.one(None, "suspend", "terminate", " terminate ", "later", "", 5, True, {}, " ", "Suspend")
    given = {"status": make.one("success", "failed", "canceled", "timeout", "partial", "done", "", " success", None, 5), "result": make.value()}
    if make.some(0.3):
        given["result"] = make.members() | {"__cg_control": make.one({"after_execution": after()}, "x", None)}
    make.perhaps(given, "error", lambda: make.value() if make.some(0.4) else make.members())
    make.perhaps(given, "after_execution", after, 0.3)
    case = {"command_after_execution": after(), "given": given}
    make.perhaps(case, "service_after_execution", lambda: make.one("suspend", "terminate"), 0.2)
    return {**case, "expect": real.result(case)}


def card_content(make: Make) -> dict:
    tag = make.one("ToolCallContent", "ToolResultContent", "ToolResultContent", "TextContent", "JsonContent", "ToolContent",
                   "FieldsSchemaContent", "OddContent", None, 5)
    content: dict[str, Any] = {}
    if not make.some(0.05):
        content["__type__"] = tag
    chance = 0.9
    if tag == "ToolCallContent":
        for name, is_right in (("tool_name", make.text), ("arguments", make.members), ("status", make.text), ("target_subject", make.text)):
            make.perhaps(content, name, lambda: is_right() if make.some(0.9) else make.value(), chance)
    elif tag == "ToolResultContent":
        make.perhaps(content, "status", lambda: make.one("success", "failed", " success ", "done", " ", "", make.scalar()), 0.97)
        after = lambda: make.one("suspend", "terminate", " suspend\n", "later", "", make.scalar())
        make.perhaps(content, "after_execution", after, 0.97)
        make.perhaps(content, "result", make.value)
        error = lambda: make.one(None, make.members(), {"code": make.scalar(), "message": make.scalar()}, {"code": "a", "message": "b"}, make.value())
        make.perhaps(content, "error", error, 0.7)
    elif tag == "TextContent":
        make.perhaps(content, "text", lambda: make.text() if make.some(0.8) else make.value(), chance)
    elif tag == "JsonContent":
        make.perhaps(content, "data", make.value, chance)
    elif tag == "ToolContent":
        make.perhaps(content, "tools", lambda: [make.members()] if make.some(0.6) else make.value(), chance)
    elif tag == "FieldsSchemaContent":
        field = lambda: {"name": make.text(), **make.one({}, {"description": make.scalar()}, {"more": 1})}
        make.perhaps(content, "fields", lambda: [field()] if make.some(0.8) else make.value(), chance)
    make.perhaps(content, make.one(*NAMES), make.scalar, 0.08)
    given = content if make.some(0.97) else make.value()
    return {"content": given, "expect": real.card_content(given)}


def effective_after_execution(make: Make) -> dict:
    result = make.one(make.value(), {"__cg_control": {"after_execution": make.one("terminate", " suspend ", "x", 5, None)}}, {"__cg_control": make.scalar()})
    stored = make.one("suspend", "terminate")
    return {"result": result, "stored": stored, "expect": real.effective(result, stored)}


def result_card_checks(make: Make) -> dict:
    card = {"type": make.one("tool.result", "tool.result", "tool.call"), "tool_call_id": make.one("call_a1", "", None, "call_b"),
            "labels": make.one({}, {"tool_call_id": "call_a1"}, {"tool_call_id": "call_b"}), "content_is_result": make.some(0.8)}
    case = {"pointer": make.one("card_r", "card_r", "", " "), "card": card if make.some(0.9) else None, "expected_call": make.one("call_a1", "")}
    return {**case, "expect": real.result_card(case)}


def report_gate(make: Make) -> dict:
    card = {"type": make.one("tool.result", "tool.result", "tool.call"), "tool_call_id": make.one("call_a1", "call_a1", "", None, "call_b"),
            "labels": make.one({}, {"tool_call_id": "call_a1"}), "author_id": make.one("tool.lamp", "worker.watchdog", "bob", None),
            "function_name": make.one("lamp", "lamp", "", " ", None, 0, False)}
    case = {"reporter": make.one("tool.lamp", "sys.agent_worker.watchdog", "sys.pmo", "bob", "ghost"), "pointer": make.one("card_r", "card_r", ""),
            "call_id": "call_a1", "card": card if make.some(0.95) else None, "roster": ["bob"]}
    return {**case, "expect": real.gate(case)}


def traceparents(make: Make) -> dict:
    digits = lambda count: "".join(make.one(*"0123456789abcdefABCDEFg") if make.some(0.02) else make.one(*"0123456789abcdefABCDEF") for _ in range(count))
    trace = make.one(digits(32), "0" * 32)
    text = make.one("", "", "", " ") + "-".join([digits(2), trace, digits(16), digits(2)]) + make.one("", "", "", "\n", " ", "-00")
    return {"traceparent": text, "expect": real.trace_parent(text)}


def trace_ids(make: Make) -> dict:
    import uuid

    plain = uuid.UUID(int=make.random.getrandbits(128))
    text = make.one(str(plain), plain.hex, plain.hex.upper(), str(plain).upper(), str(plain)[:-1], plain.hex + "\n", " " + plain.hex, "0" * 32,
                    str(uuid.UUID(int=0)), plain.hex[:12] + "-" + plain.hex[12:])
    return {"trace_id": text, "expect": real.trace_id(text)}


def idempotency_keys(make: Make) -> dict:
    text = lambda: make.one("", "a..b", "täl k", "lamp", "-_", " ", make.text())
    case = {"namespace": make.one("tool", ""), "project_id": text(), "tool": text(), "call_id": text()}
    return {**case, "expect": real.idempotency_key(case)}


def subject_templates(make: Make) -> dict:
    given = {"project_id": make.one("demo", " demo ", "{channel_id}"), "agent_id": make.one("bob", "a.b", "{project_id}")}
    make.perhaps(given, "channel_id", lambda: make.one("public", "", " ", None, "u_7", "{agent_id}"), 0.8)
    template = "cg.v1r4.{project_id}.{channel_id}.cmd.tool." + make.one("lamp.switch", "{agent_id}.call", "{{agent_id}}", "{user}.{turn_epoch}")
    return {"template": template, "context": given, "expect": real.subject_template(template, given)}


def jina_requests(make: Make) -> dict:
    hosts = ["https://s.jina.ai", "https://r.jina.ai/", "HTTPS://S.Jina.AI:8443/x//", "s.jina.ai", "https://example.org", "//r.jina.ai", "https://u@s.jina.ai",
             " https://s.jina.ai ", "", None, 5, "https://s.jina.ai.evil.org"]
    seconds = lambda: make.one(None, 0, 3, "2.5", "soon", True, -1, [], "1_0", "nan", "", " 7 ")

    def group() -> dict:
        own: dict[str, Any] = {}
        make.perhaps(own, "mode", lambda: make.one("search", "reader", "READ ", "crawl", "odd", None, ""), 0.6)
        make.perhaps(own, "base_url", lambda: make.one(*hosts), 0.4)
        make.perhaps(own, "path", lambda: make.one("/search", "find", " ", "", "/SEARCH", None), 0.3)
        make.perhaps(own, "method", lambda: make.one("get", "POST", "", None), 0.3)
        make.perhaps(own, "endpoint_template", lambda: make.one("/{url}", "x/{url}/{url}", "", None), 0.2)
        make.perhaps(own, "headers", lambda: make.one({"X": make.scalar(), "accept": "a", " ": 1}, {"Accept": "b", "Authorization": "c"}, 5), 0.3)
        make.perhaps(own, "accept", lambda: make.one("text/html", "", None, 5), 0.2)
        make.perhaps(own, "auth_env", lambda: make.one("VEC_A", " VEC_A ", "", " ", None, "VEC_UNSET"), 0.3)
        make.perhaps(own, "auth", lambda: make.one({"env": "VEC_B"}, {}, None), 0.2)
        make.perhaps(own, "defaults", lambda: make.one({"q": "d"}, {"n": 1, "url": "https://d"}, 5), 0.3)
        make.perhaps(own, "timeout_s", seconds, 0.3)
        make.perhaps(own, "timeout", seconds, 0.3)
        return own

    tool: dict[str, Any] = {}
    make.perhaps(tool, "jina", lambda: make.one(group(), group(), group(), 5), 0.9)
    make.perhaps(tool, "openapi", group, 0.4)
    envs = lambda: {make.one("q", "key", "url"): make.one("VEC_A", "VEC_B", "VEC_UNSET", " ", " VEC_A", 5, None)}
    make.perhaps(tool, "envs", lambda: make.one(envs(), envs(), 5), 0.4)
    make.perhaps(tool, "timeout", seconds, 0.2)
    given = {make.one("q", "query", "url", "target_url", "n"): make.one("nats", "", " ", 0, 42, True, False, None, [], "a b/ü", "https://e.org/?x=1")
             for _ in range(2)}
    case = {"options": tool, "arguments": given, "env": {"VEC_A": "va", "VEC_B": "vb"}, "service_envs": envs() if make.some(0.3) else {}}
    return {**case, "expect": real.jina(case)}


def commands(make: Make) -> dict:
    strict = make.some(0.5)
    tool = "jina_search" if strict else "word_count"
    body: Any = {"tool_name": tool, "after_execution": "suspend", "tool_call_card_id": "card_a1"}
    if make.some(0.6):
        for _ in range(make.one(1, 1, 2)):
            match make.one("drop", "value", "extra", "control"):
                case "drop":
                    body.pop(make.one(*body, "x"), None)
                case "value":
                    name = make.one("tool_name", "after_execution", "tool_call_card_id")
                    body[name] = make.one("", " ", None, 5, True, "later", " suspend ", "terminate", "nope", "card_b", [], {})
                case "extra":
                    body[make.one("args", "foo", "result", "Agent_Id")] = make.scalar()
                case "control":
                    body[make.one("agent_id", "channel", "tracestate", "parent_traceparent", "turn_epoch")] = make.scalar()
    text = json.dumps(body)
    if make.some(0.08):
        text = make.one("null", "[]", "[1]", "0", "5", '""', '"ab"', "false", "true", "not json", "", '[["tool_call_card_id", "card_a1"], ["after_execution", "suspend"]]',
                        '["ab", "cd"]', '[["agent_id", 1]]', "{}")
    headers = {"CG-Project-Id": "demo", "CG-Channel-Id": "public", "CG-Agent-Id": "caller.1", "CG-Turn-Id": "turn_a1", "CG-Turn-Epoch": "0",
               "CG-Step-Id": "step_a1", "CG-Tool-Call-Id": "call_a1", "CG-Recursion-Depth": "0", "traceparent": real.TRACE}
    for _ in range(make.one(0, 0, 1, 1, 2)):
        name = make.one(*headers)
        odd = {"CG-Turn-Epoch": ["-1", "0_1", "3", "2", "x", "99999999999999999999", "٣", "1.0", "+3"], "CG-Recursion-Depth": ["-1", "0_1", "20", "x", "٣"],
               "CG-Agent-Id": ["ghost"], "CG-Project-Id": ["other", "Demo"], "CG-Channel-Id": ["other"], "traceparent": ["zz", real.TRACE.upper(), "00-" + "0" * 32 + "-00f067aa0ba902b7-01"]}
        value = make.one(None, "", " ", *odd.get(name, ["other"]))
        if name in ("CG-Turn-Id", "CG-Tool-Call-Id") and value == "other":
            continue
        headers.pop(name) if value is None else headers.update({name: value})
    arguments = {"query": "x"} if strict else {"mode": "map", "text": "x y"}
    content = {"__type__": "ToolCallContent", "tool_name": tool, "arguments": arguments, "status": "called"}
    card: dict[str, Any] = {"present": True, "type": "tool.call", "content": content, "tool_call_id": "call_a1", "project": "demo"}
    if make.some(0.35):
        match make.one("absent", "type", "no type", "content", "call", "project", "turn"):
            case "absent":
                card["present"] = False
            case "type":
                card["type"] = make.one("task.instruction", None, "it's")
            case "no type":
                card.pop("type")
            case "content":
                card["content"] = {"__type__": "TextContent", "text": "x"}
            case "call":
                card["tool_call_id"] = make.one("call_b", "", None)
            case "project":
                card["project"] = "other"
            case "turn":
                card["metadata"] = {"agent_turn_id": "turn_a1"}
    epoch = make.one(0, 0, 3)
    world: dict[str, Any] = {"call_card": card, "turn_known": True, "turn_epoch": epoch, "request_depth": make.one(0, 0, 0, 19, 20), "roster": ["caller.1"]}
    if make.some(0.1):
        world |= make.one({"turn_known": False, "turn_epoch": None}, {"request_depth": None}, {"turn_known": False, "turn_epoch": None, "request_depth": None})
    service, target = ("openapi", "jina.search") if strict else ("word_count", "word_count.call")
    case = {"service": service, "subject": f"cg.v1r4.demo.public.cmd.tool.{target}", "headers": headers, "body": text, "world": world}
    return {**case, "expect": real.command(case)}
