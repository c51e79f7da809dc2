"""Tries the stand-in for CommonGround on the vectors, which were taken from the real one."""

import asyncio
import json

import aiohttp
from psycopg.types.json import Jsonb

TABLES = "public.projects, resource.project_agents, resource.tools, cards, state.agent_state_head, state.agent_inbox, state.execution_edges"


async def check(options, store, bus, services):
    with open(options.check, encoding="utf-8") as file:
        vectors = json.load(file)
    failures, cases = [], 0
    for section, trial in (("tool_definitions", definition), ("tool_yaml", definition), ("commands", command), ("ui_actions", action)):
        for case in vectors[section]:
            await store.run(f"truncate {TABLES}")
            got = await trial(case, options, store, bus, services)
            cases += 1
            wrong = {key: (got.get(key), value) for key, value in case["expect"].items() if key in got and got[key] != value}
            if wrong:
                failures.append(f"{case['id']}: " + "; ".join(f"{key} is {was!r}, not {value!r}" for key, (was, value) in wrong.items()))
    print("\n".join(failures))
    print(f"{cases} cases, {len(failures)} failures", flush=True)
    return 1 if failures or not cases else 0


async def definition(case, options, store, *_):
    await store.run("insert into public.projects values ('demo')")
    form = aiohttp.FormData()
    form.add_field("file", case.get("yaml", json.dumps(case.get("definition"))), filename="tool.yaml")
    async with aiohttp.ClientSession() as session:
        async with session.post(f"http://127.0.0.1:{options.port}/projects/demo/tools", data=form) as answer:
            body, status = await answer.json(), answer.status
    got = {"accept": status == 201, "http_status": status}
    if status == 201:
        body.pop("project_id")
        return {**got, "stored": body}
    detail, expected = body["detail"], case["expect"]
    got["error_code"] = detail["error_code"]
    if "message" in expected:
        got["message"] = detail["error_message"]
    if "message_starts" in expected:
        got["message_starts"] = detail["error_message"][:len(expected["message_starts"])]
    if "field_errors" in expected:
        named = [error for error in expected["field_errors"] if error["field"] in detail["error_message"] and error["kind"] in detail["error_message"]]
        got["field_errors"] = named
    return got


async def command(case, options, store, bus, services):
    world, headers, service = case["world"], case["headers"], services[case["service"]]
    project, call = "demo", "call_a1"
    for name in world.get("roster", []):
        await store.run("insert into resource.project_agents (project_id, agent_id, profile_box_id, worker_target)"
                        " values (%s, %s, gen_random_uuid(), 'worker_generic')", project, name)
    await store.run("insert into resource.tools (project_id, tool_name, target_subject) values (%s, 'jina_search', 'x')", project)
    card = world["call_card"]
    if card["present"]:
        labels = {"type": card["type"], "tool_call_id": card["tool_call_id"], "step_id": "step_a1", "agent_turn_id": "turn_a1"}
        await store.run("insert into cards (card_id, tenant_id, content, tool_call_id, metadata) values ('card_a1', %s, %s, %s, %s)",
                        card["project"], Jsonb(card["content"]), card["tool_call_id"], Jsonb(labels))
    if world["turn_known"]:
        for agent in {headers.get("CG-Agent-Id", "caller.1"), "caller.1"}:
            await store.message("command_anchor", "consumed", project, "public", agent, call + agent, headers.get("CG-Turn-Id"),
                                world["turn_epoch"], {}, {})
        await store.edge("tool_call", "request", project, "public", "caller.1", "caller.1", call, world["request_depth"])
    key = service.key({"project": project, "function": "word_count" if service.name == "word_count" else "jina_search", "call": call})
    await bus.marks.purge(key)
    sent = await bus.js.publish(case["subject"], case["body"].encode(), headers=headers)
    while sent.seq not in service.seen:
        await asyncio.sleep(0.01)
    seen = service.seen[sent.seq]
    await seen["over"].wait()
    result = await store.one("select * from cards where tenant_id = %s and metadata ->> 'type' = 'tool.result'", project)
    got = {"deliveries": seen["deliveries"], "outcome": outcome(seen, result)}
    context = {"project": project, "call": call, "function": key.split(".")[2]}
    mark = await service.marked(context)
    got["marker"] = mark["status"] if mark else None
    if got["marker"] == "running":
        got["outcome"] = "stalled"
    if "log" in seen:
        got["log_message"] = seen["log"]
    if "code" in seen:
        got["report_code"] = seen["code"]
    if result:
        got["after_execution"] = result["content"]["after_execution"]
    if "refusal" in seen:
        got["error_code"], got["error_message"] = seen["refusal"].code, seen["refusal"].message
    return got


def outcome(seen, result):
    if "log" in seen:
        return "dropped"
    if "code" in seen:
        return "unreported"
    if not result:
        return "redelivered"
    return "refused_with_result" if "refusal" in seen else "executed"


async def action(case, options, store, bus, _):
    world, project = case["world"], "demo"
    for agent, target in world["roster"].items():
        await store.run("insert into resource.project_agents (project_id, agent_id, profile_box_id, worker_target)"
                        " values (%s, %s, gen_random_uuid(), %s)", project, agent, target)
    for tool, settings in world["tools"].items():
        await store.run("insert into resource.tools (project_id, tool_name, target_subject, after_execution, options) values (%s, %s, %s, 'suspend', %s)",
                        project, tool, "cg.v1r4.{project_id}.{channel_id}.cmd.tool.word_count.call", Jsonb(settings))
    await bus.marks.purge("tool.demo.word_count.*")
    heard = await bus.client.subscribe("cg.v1r4.demo.public.evt.sys.ui.action_ack")
    await bus.js.publish(case["subject"], json.dumps(case["payload"]).encode(), headers=case["headers"])
    acks = []
    while len(acks) < max(1, len(case["expect"]["acks"])):
        try:
            # Silence is what some of them expect, and it has no end of its own.
            acks.append(json.loads((await heard.next_msg(timeout=5 if case["expect"]["acks"] else 0.5)).data))
        except Exception:
            break
    await heard.unsubscribe()

    def told(ack):
        shown = {"status": ack["status"]}
        if "tool_result_card_id" in ack:
            shown["result_card"] = True
        if "error_code" in ack:
            shown["error_code"] = ack["error_code"]
        return shown

    return {"acks": [told(ack) for ack in acks]}
