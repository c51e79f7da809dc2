"""Runs CommonGround's own functions, from a checkout, without a server: the stores are maps in memory."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import pkgutil
import sys
from types import SimpleNamespace as Bag
from typing import Any

logging.disable(logging.CRITICAL)
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def load(checkout: str) -> None:
    """Makes the checkout importable. Its submodule `card_box_core` is `cardbox` on PyPI."""
    sys.path.insert(0, checkout)
    import cardbox

    sys.modules["card_box_core"] = cardbox
    for module in pkgutil.walk_packages(cardbox.__path__, "cardbox."):
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:
            continue
        sys.modules[module.name.replace("cardbox", "card_box_core", 1)] = loaded


class Cards:
    """Cards by project and id; one result a call, as the database has it."""

    def __init__(self) -> None:
        self.cards: dict[tuple[str, str], Any] = {}
        self.results: set[tuple[str, str]] = set()

    async def get_cards(self, ids, project_id=None, conn=None):
        found = (self.cards.get((project_id, card_id)) for card_id in ids)
        return [card for card in found if card is not None]

    async def save_card(self, card) -> None:
        if card.type == "tool.result":
            key = (card.project_id, card.tool_call_id)
            if key in self.results:
                raise RuntimeError("duplicate key value violates unique constraint")
            self.results.add(key)
        self.cards[card.project_id, card.card_id] = card
        self.last = card


# --- pure functions -------------------------------------------------------------------------------------------------------------------


def context(given: dict) -> dict:
    """Variables as the dispatcher fills them in."""
    from core.cg_context import CGContext

    own = {name: value for name, value in given.items() if name != "context_box_id"}
    return {**CGContext(**own).to_sys_dict(), "context_box_id": given.get("context_box_id")}


def merge(given, options, variables) -> dict:
    from services.agent_worker.dispatcher_context import apply_tool_arg_options

    merged, defaults, rest = apply_tool_arg_options(
        args=given, tool_options=options, context=variables, logger=logging.getLogger("merge")
    )
    return {
        "arguments": merged,
        "defaults_applied": sorted(defaults),
        "fixed_applied": sorted(rest["fixed"]),
        "envs": rest["envs"],
    }


def given_arguments(raw) -> dict:
    from services.agent_worker.dispatcher_context import parse_tool_args

    arguments, error = parse_tool_args({"function": {"arguments": raw}})
    return {"arguments": arguments, "error": "invalid_arguments_json" if error else None}


def model_schema(parameters, options):
    from infra.llm.tool_specs import _apply_arg_options

    return _apply_arg_options(parameters, options)


def result(case) -> dict:
    from core.cg_context import CGContext
    from infra.tool_executor import ToolResultBuilder, ToolResultContext

    ctx = CGContext(project_id="demo", agent_id="caller", agent_turn_id="turn", tool_call_id="call")
    built = ToolResultContext(ctx=ctx, cmd_data={"after_execution": case["command_after_execution"]})
    service = case.get("service_after_execution")
    if service is not None:
        built.override_after_execution(service)
    given = case["given"]
    try:
        payload, card = ToolResultBuilder(built, author_id="tool.lamp", function_name="lamp").build(
            status=given["status"],
            result=given["result"],
            error=given.get("error"),
            after_execution=given.get("after_execution"),
        )
    except Exception:
        return {"refused": True}
    payload.pop("tool_result_card_id")
    return {"callback": payload, "content": json.loads(card.content.model_dump_json())}


WHY = [
    ("with a '__type__' key", "no_type_tag"),
    ("Unknown content type", "unknown_type"),
    ("unhashable type", "unknown_type"),
    ("status must be a non-empty", "status"),
    ("after_execution must be", "after_execution"),
    ("error must be None", "error_forbidden"),
    ("structured envelope", "error_required"),
    ("must include 'code'", "error_incomplete"),
]


def card_content(content) -> dict:
    from cardbox.structures import _deserialize_content

    try:
        _deserialize_content(content)
    except Exception as error:
        text = str(error)
        found = [word for piece, word in WHY if piece in text]
        # Of several faults at once ours names the one of a member first.
        several = len(found) != 1 or " validation errors" in text
        return {"valid": False, "why": found[0] if not several else None if len(found) > 1 or found else "field"}
    return {"valid": True, "why": None}


def effective(result_payload, stored):
    from core.utp_protocol import resolve_effective_after_execution

    return resolve_effective_after_execution(result_payload, stored)


def result_card(case) -> str:
    from cardbox.structures import TextContent, ToolResultContent
    from infra.tool_executor import fetch_and_parse_tool_result

    cards, card = Cards(), case["card"]
    if card:
        content = ToolResultContent(status="success", after_execution="suspend")
        if not card["content_is_result"]:
            content = TextContent(text="")
        bag = Bag(type=card["type"], tool_call_id=card["tool_call_id"], metadata=card["labels"], content=content)
        cards.cards["demo", case["pointer"].strip()] = bag
    read = asyncio.run(
        fetch_and_parse_tool_result(
            cardbox=cards,
            project_id="demo",
            card_id=case["pointer"],
            expected_tool_call_id=case["expected_call"],
            require_tool_result_type=True,
        )
    )
    return read.error_code or "ok"


def gate(case) -> str:
    from core.cg_context import CGContext
    from infra.l0_engine import L0Engine

    cards, card = Cards(), case["card"]
    if card:
        labels = {**card.get("labels", {}), "function_name": card["function_name"]}
        bag = Bag(type=card["type"], tool_call_id=card["tool_call_id"], author_id=card["author_id"], metadata=labels)
        cards.cards["demo", case["pointer"]] = bag

    async def roster(ctx, conn=None):
        return {"agent_id": ctx.agent_id} if ctx.agent_id in case["roster"] else None

    async def asked():
        engine = L0Engine(nats=None, execution_store=None, resource_store=Bag(fetch_roster=roster), cardbox=cards)
        source = CGContext(project_id="demo", agent_id=case["reporter"])
        refused = await engine._validate_source_ctx(source_ctx=source, target_project_id="demo", conn=None)
        refused = refused or await engine._validate_report_payload_source(
            source_ctx=source,
            payload={"tool_result_card_id": case["pointer"]},
            correlation_id=case["call_id"],
            target_project_id="demo",
            conn=None,
        )
        return refused.error_code if refused else "accepted"

    return asyncio.run(asked())


def trace_parent(text) -> dict:
    from core.trace import parse_traceparent

    try:
        normalized, trace = parse_traceparent(text)
    except Exception as error:
        return {"valid": False, "message": str(error)}
    return {"valid": True, "normalized": normalized, "trace_id": trace}


def trace_id(text) -> dict:
    from core.trace import normalize_trace_id

    try:
        return {"valid": True, "trace_id": normalize_trace_id(text)}
    except Exception:
        return {"valid": False}


def idempotency_key(case) -> str:
    from infra.idempotency import build_idempotency_key

    return build_idempotency_key(case["namespace"], case["project_id"], case["tool"], case["call_id"])


def subject_template(template, given) -> str:
    from core.cg_context import CGContext

    return CGContext(**given).render_subject_template(template)


def pattern(text) -> bool:
    import re
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(text)
        except Exception:
            return False
    return True


# --- the management API ---------------------------------------------------------------------------------------------------------------


def definition(value) -> dict:
    """What the API answers to an upload, by its own functions; the database's part is what it stores."""
    from core.errors import CGError
    from pydantic import ValidationError
    from services.api.tool_service import ToolService
    from services.api.tool_yaml import normalize_tool_yaml

    async def project(_):
        return {"project_id": "demo"}

    async def upsert(**row):
        text = json.dumps([row["parameters"], row["options"]], allow_nan=False)
        if "\\u0000" in text or any("\0" in (row[name] or "") for name in ("tool_name", "description", "target_subject")):
            raise RuntimeError("NUL")
        return row

    service = ToolService(project_store=Bag(get_project=project), tool_store=Bag(upsert_tool=upsert))
    try:
        tool = normalize_tool_yaml(value)
        stored = asyncio.run(service.upsert_external_tool(project_id="demo", tool=tool)).model_dump()
        stored.pop("project_id")
        return {"accept": True, "http_status": 201, "stored": stored}
    except ValidationError as error:
        fields = [{"field": ".".join(map(str, row["loc"])), "kind": row["type"]} for row in error.errors()]
        return {"accept": False, "http_status": 400, "field_errors": fields}
    except CGError as error:
        text = error.message
        if "invalid JSON Schema" in text:
            return {"accept": False, "http_status": 400, "message_starts": text.split("invalid JSON Schema")[0] + "invalid JSON Schema"}
        return {"accept": False, "http_status": error.http_status, "message": text}
    except Exception as error:
        return {"accept": False, "http_status": 500, "why": str(error)}


# --- services -------------------------------------------------------------------------------------------------------------------------


class Runs:
    """The marks of the idempotency bucket."""

    def __init__(self) -> None:
        self.marks: dict[str, Any] = {}

    async def try_acquire(self, key) -> bool:
        fresh = key not in self.marks
        self.marks.setdefault(key, None)
        return fresh

    async def wait_result(self, key, timeout=0.0):
        return self.marks[key]

    async def set_result(self, key, payload) -> None:
        self.marks[key] = payload


class Opened:
    """A connection or a transaction, which does nothing."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return False

    def connection(self):
        return self

    def transaction(self):
        return self


def service(kind: str, world, cards: Cards, runs: Runs):
    """A service of CommonGround with its stores in memory."""
    from infra.idempotency import IdempotentExecutor
    from infra.service_runtime import ServiceBase

    async def roster(ctx, conn=None):
        return {"worker_target": "worker_generic"} if ctx.agent_id in world["roster"] else None

    async def tool(project_id=None, tool_name=None):
        options = {"jina": {"mode": "search"}}
        return {"after_execution": None, "options": options} if tool_name == "jina_search" else None

    async def turn(_query, values, conn=None):
        _, agent, turn_id, epoch = values[:4]
        if epoch is not None and epoch >= 2**63:
            raise RuntimeError("bigint out of range")
        known = world["turn_epoch"] is not None and agent in world["roster"] and turn_id == "turn_a1"
        if not known or epoch not in (None, world["turn_epoch"]):
            return None
        depth = world["request_depth"] or 0
        headers = {"CG-Recursion-Depth": str(depth), "traceparent": TRACE}
        return {
            "project_id": "demo",
            "agent_id": agent,
            "channel_id": "public",
            "agent_turn_id": turn_id,
            "turn_epoch": world["turn_epoch"],
            "context_headers": headers,
        }

    async def depth(_conn, project_id=None, correlation_id=None):
        return world["request_depth"]

    async def yes(*_, **__):
        return True

    stores = Bag(
        fetch_roster=roster,
        fetch_tool_definition=tool,
        fetch_one=turn,
        get_request_recursion_depth_with_conn=depth,
        enqueue_with_conn=yes,
        pool=Opened(),
    )

    def begin(self, *_, **__):
        self.ctx = Bag(stores=Bag(resource_store=lambda: stores, execution_store=lambda: stores))
        self.nats, self.cardbox = Bag(publish_event=yes), cards
        self.register_store = lambda store: store

    begin_of = ServiceBase.__init__
    ServiceBase.__init__ = begin
    try:
        if kind == "openapi":
            from services.tools import openapi_service

            # Nothing is sent, and a real client takes long to make.
            openapi_service.httpx = Bag(AsyncClient=lambda **_: None, HTTPStatusError=OSError)
            made = openapi_service.OpenAPIToolService({}, "jina")

            async def answer(**_):
                return {"data": "x"}

            made._do_http_request = answer
        else:
            from services.tools.word_count import WordCountToolService

            made = WordCountToolService({})
    finally:
        ServiceBase.__init__ = begin_of
    made.tool_runner.idempotent_executor = IdempotentExecutor(runs, timeout_s=0.0)
    return made


TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

# What a service says where the tool's own code did not run.
NOT_RUN = (
    "missing required fields",
    "cmd ingress",
    "invalid after_execution",
    "CGContext",
    "tool_call_card_id not found",
    "tool_call_card_id type mismatch",
    "tool_call_id mismatch",
    "tool.call content must be",
    "missing worker_target",
    "Tool '",
)


def command(case) -> dict:
    """Delivers a command as the bus does: again where the service gives it back, three times at most."""
    from core.utp_protocol import Card, from_core_card
    from cardbox.structures import Card as CoreCard
    from infra.l0 import tool_reports

    world, cards, runs, logged, reports = case["world"], Cards(), Runs(), [], []
    given = world["call_card"]
    if given["present"]:
        labels = {**given.get("metadata", {}), **({"type": given["type"]} if "type" in given else {})}
        core = {"card_id": "card_a1", "content": given["content"], "metadata": labels, "tool_call_id": given["tool_call_id"]}
        card = from_core_card(CoreCard.from_dict(core), project_id=given["project"], schema_cls=Card)
        cards.cards[given["project"], "card_a1"] = card
    made = service(case["service"], world, cards, runs)
    made.tool_runner.logger = Bag(
        error=lambda text, *values, **_: logged.append(str(values[1]) if len(values) > 1 else text),
        info=lambda *_, **__: None,
    )
    from infra.l0_engine import L0Engine

    async def report(self, **given):
        told = await REPORT(self, **given)
        reports.append(told)
        return told

    REPORT, L0Engine.report_intent = L0Engine.report_intent, report
    # As nats-py gives them to a service.
    headers = {name.strip(): value.strip() for name, value in case["headers"].items()}
    deliveries, taken = 0, False
    try:
        while deliveries < 3 and not taken:
            deliveries += 1
            try:
                asyncio.run(made._handle_cmd(case["subject"], json.loads(case["body"]), headers))
                taken = True
            except Exception:
                continue
    finally:
        L0Engine.report_intent = REPORT
    return outcome(cards, runs, reports, logged, deliveries, taken)


def outcome(cards, runs, reports, logged, deliveries, taken) -> dict:
    marker = None if not runs.marks else "running" if None in runs.marks.values() else "done"
    got = {"deliveries": deliveries, "marker": marker}
    written = getattr(cards, "last", None)
    if written is None:
        if taken:
            return {**got, "outcome": "dropped", "log_message": logged[0]}
        if marker == "running":
            return {**got, "outcome": "stalled", "blocked_seconds_at_least": 30}
        return {**got, "outcome": "redelivered"}
    content = written.content
    got["after_execution"] = content.after_execution
    error = content.error or {}
    not_run = [text for text in (error.get("message", ""), (content.result or {}).get("error_message") or "") if text.startswith(NOT_RUN)]
    if not_run:
        got["error_code"], got["error_message"] = error["code"], error["message"]
    if reports and reports[0].status == "accepted":
        return {**got, "outcome": "refused_with_result" if not_run else "executed"}
    return {**got, "outcome": "unreported", "report_code": reports[0].error_code if reports else None}


def jina(case) -> dict:
    cards = Cards()
    world = {"roster": [], "turn_epoch": None, "request_depth": None}
    made = service("openapi", world, cards, Runs())
    made.service_envs = case["service_envs"]
    sent = {}

    async def ask(**request):
        sent.update(request)
        return {}

    made._do_http_request = ask
    options = case["options"]
    group = lambda name: options.get(name) if isinstance(options.get(name), dict) else {}
    before = dict(os.environ)
    os.environ.update(case["env"])
    try:
        asyncio.run(
            made._execute_jina_http(
                jina_config=group("jina"), openapi_config=group("openapi"), tool_options=options, args=case["arguments"]
            )
        )
    except Exception as error:
        if getattr(error, "code", "") != "bad_request":
            return {"raises": str(error)}
        return {"error_code": "bad_request", "message": error.message}
    finally:
        os.environ.clear()
        os.environ.update(before)
    return {
        "method": sent["method"],
        "url": sent["url"],
        "query": sent["params"],
        "json": sent["json_body"],
        "headers": sent["headers"],
        "timeout_s": sent["timeout_s"],
    }
