"""Gives random entries to Unique's own toolkit and to toolcrib, and prints where they differ.

    PYTHON tests/real/unique/compare.py --toolcrib target/debug/toolcrib [--entries 1000] [--turns 200] [--seed 1]

PYTHON is the Python of an environment that has the package unique-toolkit.
"""

import argparse
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from unittest.mock import MagicMock

import export
from pydantic import TypeAdapter, ValidationError
from unique_toolkit._common.utils.jinja.render import render_template
from unique_toolkit.agentic.tools import tool_manager
from unique_toolkit.agentic.tools.a2a.manager import A2AManager
from unique_toolkit.agentic.tools.a2a.response_watcher import SubAgentResponseWatcher
from unique_toolkit.agentic.tools.config import ToolBuildConfig
from unique_toolkit.agentic.tools.factory import ToolFactory
from unique_toolkit.agentic.tools.mcp.manager import MCPManager
from unique_toolkit.agentic.tools.openai_builtin.code_interpreter.tool.service import OpenAICodeInterpreterTool
from unique_toolkit.agentic.tools.schemas import BaseToolConfig
from unique_toolkit.agentic.tools.tool import Tool
from unique_toolkit.app.schemas import ChatEvent

CONFIGS = export.registered()
ODD = [None, True, False, 0, 1, 2, -1, 1.0, 7.5, "", "x", "7", " 7 ", "1_0", "+3", "7.0", "yes", "No", "off", "T", "null", [], ["a"], {}, {"a": 1}, 10**25]
MEMBERS = ["displayName", "icon", "selectionPolicy", "isExclusive", "isSubAgent", "isEnabled", "configError", "mcpSourceId"]
ICONS = ["IconBook", "IconWorld", "IconChartBar", "iconbook", "IconBok"]
POLICIES = ["ForcedByDefault", "OnByDefault", "ByUser", "byUser", "forced"]


def snake(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def mutate(dice, value, depth=0):
    """The value with a few places of it changed."""
    if isinstance(value, dict) and value and depth < 4:
        value = dict(value)
        for _ in range(dice.randint(1, 2)):
            name = dice.choice(list(value))
            what = dice.random()
            if what < 0.12:
                del value[name]
                if not value:
                    break
            elif what < 0.3:
                value[snake(name)] = value.pop(name)
            elif what < 0.36:
                value[snake(name)] = dice.choice(ODD)
            elif what < 0.45:
                value[name + dice.choice(["s", "_", "X"])] = dice.choice(ODD)
            else:
                value[name] = mutate(dice, value[name], depth + 1)
        return value
    if isinstance(value, list) and value and dice.random() < 0.4:
        return [mutate(dice, value[0], depth + 1)]
    return dice.choice(ODD) if dice.random() < 0.7 else value


def entry_of(dice):
    name = dice.choice(list(CONFIGS) + ["Nope", "WebSerach"])
    default = CONFIGS[name]().model_dump(mode="json", by_alias=True) if name in CONFIGS else {}
    what = dice.random()
    configuration = default if what < 0.2 else {} if what < 0.3 else dice.choice(ODD) if what < 0.36 else mutate(dice, default)
    if dice.random() < 0.06:
        source = {dice.choice(["mcpSourceId", "mcp_source_id"]): dice.choice(["s", *ODD])}
        configuration = source | ({"serverId": "a"} if dice.random() < 0.5 else {})
    entry = {"name": name, "configuration": configuration}
    for member in dice.sample(MEMBERS, dice.randint(0, 3)):
        if member in ("configError", "mcpSourceId", "isSubAgent") and dice.random() < 0.6:
            continue
        usual = {"icon": ICONS, "selectionPolicy": POLICIES, "displayName": ["A"]}.get(member, [True, False])
        spelled = snake(member) if dice.random() < 0.3 else member
        entry[spelled] = dice.choice(usual) if dice.random() < 0.7 else dice.choice(ODD)
    for member in ("name", "configuration"):
        if dice.random() < 0.02:
            del entry[member]
    if dice.random() < 0.02:
        entry["name"] = dice.choice(ODD)
    if dice.random() < 0.05:
        entry[dice.choice(["tooltip", "display", "enabled"])] = 1
    # What makes it an entry for certain.
    entry.setdefault("selectionPolicy", "ByUser") if "selection_policy" not in entry else None
    return entry


def real_answer(entry):
    given = copy.deepcopy(entry)
    try:
        tool = ToolBuildConfig.model_validate(given)
    except ValidationError:
        return {"refused": True}
    answer = {"refused": False, "rejected": tool.config_error is not None}
    icon = entry.get("icon")
    answer["icon"] = "icon" in entry and (not isinstance(icon, str) or icon != tool.icon.value)
    return answer


def is_boolean(value):
    try:
        TypeAdapter(bool).validate_python(value)
    except ValidationError:
        return False
    return True


def is_hidden_alone(entry):
    """Whether only members that the class keeps out of its schema are wrong in the configuration."""
    config = CONFIGS.get(entry.get("name"))
    if config is None:
        return False
    try:
        config.model_validate(copy.deepcopy(entry.get("configuration", {})))
    except ValidationError as refused:
        described = property_names(config.model_json_schema())
        return all(camel(str(error["loc"][-1])) not in described for error in refused.errors() if error["loc"])
    return False


def property_names(schema):
    """The names that a schema describes somewhere; one that is in a default alone is not among them."""
    if isinstance(schema, list):
        return {name for item in schema for name in property_names(item)}
    if not isinstance(schema, dict):
        return set()
    properties = schema.get("properties")
    own = set(properties) if isinstance(properties, dict) else set()
    return own | {name for key, member in schema.items() if key != "default" for name in property_names(member)}


def known(what, real, found, entry):
    """Which of the differences that stay this one is, as README.md says; None where it is another."""
    odd_enabled = any(name in entry and not is_boolean(entry[name]) for name in ("isEnabled", "is_enabled"))
    is_sub_agent = entry.get("name") == "SubAgentTool" and "config.rejected" in found
    if real.get("rejected") and (what == "rejected" or odd_enabled) and is_hidden_alone(entry):
        return "a member that is not in the schema"
    if what == "refused" and not real["refused"] and odd_enabled and "config.unknown-tool" in found:
        return "isEnabled of a tool that nothing registers"
    if is_sub_agent and (what == "rejected" and not real["rejected"] or what == "refused" and real["refused"] and odd_enabled):
        return "SubAgentTool without isSubAgent"
    if what == "refused" and real["refused"] and not found and not {"name", "configuration"} & set(entry):
        return "neither a name nor a configuration"
    return None


def toolcrib(program, *arguments):
    ran = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if not ran.stdout.strip():
        sys.exit(f"{' '.join(arguments)}: {ran.stderr}")
    return json.loads(ran.stdout)


def compare_entries(options, dice, folder):
    entries = [entry_of(dice) for _ in range(options.entries)]
    export.export(folder / "unique", CONFIGS)
    (folder / "toolcrib.toml").write_text("")
    for row, entry in enumerate(entries):
        (folder / f"e{row}.json").write_text(json.dumps([entry]))
    codes = defaultdict(set)
    told = toolcrib(options.toolcrib, "check", "--json", "-w", str(folder))
    for finding in told.get("findings", told) if isinstance(told, dict) else told:
        codes[finding["file"].rsplit("/", 1)[-1]].add(finding["code"])
    differences = Counter()
    for row, entry in enumerate(entries):
        if options.only is not None and row != options.only:
            continue
        found, real = codes[f"e{row}.json"], real_answer(entry)
        ours = {"refused": "entry.refused" in found}
        if not real["refused"]:
            ours["rejected"] = bool(found & {"config.rejected", "config.unknown-tool"})
            ours["icon"] = "entry.icon" in found
        differences["entries"] += 1
        differences["refused"] += real["refused"]
        differences["rejected"] += real.get("rejected", False)
        for what, answer in real.items():
            if ours.get(what) != answer and (reason := known(what, real, found, entry)):
                differences[f"known: {reason}"] += 1
            elif ours.get(what) != answer:
                differences[f"DIFFERENT: {what}"] += 1
                print(f"entry {row}: {what}: the toolkit says {answer}, toolcrib {ours.get(what)} {sorted(found)}\n  {json.dumps(entry)[:600]}")
    return differences


class Plain(BaseToolConfig):
    pass


def register(name, control=False, capability=False):
    """A tool that only its package has elsewhere."""

    class Stand(Tool[Plain]):
        def tool_description(self): ...
        async def run(self, tool_call): ...
        def evaluation_check_list(self):
            return []
        def get_evaluation_checks_based_on_tool_response(self, tool_response):
            return []
        def takes_control(self):
            return control
        def is_capability(self):
            return capability

    Stand.name = name
    ToolFactory.register_tool(Stand, Plain)


EVENT = {
    "id": "e", "event": "unique.chat.external-module.chosen", "userId": "u", "companyId": "c",
    "payload": {
        "name": "n", "description": "d", "configuration": {}, "chatId": "ch", "assistantId": "a",
        "userMessage": {"id": "m", "text": "t", "createdAt": "2026-01-01T00:00:00Z", "originalText": "t", "language": "en"},
        "assistantMessage": {"id": "am", "createdAt": "2026-01-01T00:00:00Z"},
        "toolChoices": [], "disabledTools": [], "mcpServers": [],
    },
}


def real_turn(entries, choices, disabled):
    event = ChatEvent.model_validate(EVENT)
    event.payload.tool_choices, event.payload.disabled_tools = list(choices), list(disabled)
    log, reporter = MagicMock(), MagicMock()
    config = tool_manager.ToolManagerConfig(tools=copy.deepcopy(entries))
    manager = tool_manager.ToolManager(
        logger=log, config=config, event=event, tool_progress_reporter=reporter,
        mcp_manager=MCPManager([], event, reporter), a2a_manager=A2AManager(log, reporter, SubAgentResponseWatcher()),
    )
    return [tool.name for tool in manager.get_tools()]


def compare_turns(options, dice, folder):
    for name in ("InternalSearch", "UploadedSearch", "WebSearch", "Skill"):
        register(name)
    register("DeepResearch", control=True)
    differences = Counter()
    for row in range(options.turns):
        names = ["InternalSearch", "UploadedSearch", "WebSearch", "Skill", "DeepResearch", "AskUser", "TodoWrite", "code_interpreter", "helper", "clerk"]
        entries = []
        for name in dice.sample(names, dice.randint(1, 7)):
            entry = {"name": name, "configuration": {}, "selectionPolicy": "ByUser"}
            if name in ("helper", "clerk"):
                entry["isSubAgent"] = dice.choice([True, True, True, "yes", "no"])
            if dice.random() < 0.3:
                entry["isExclusive"] = True
            if dice.random() < 0.15:
                entry["isEnabled"] = dice.choice([False, "off", 0])
            entries.append(entry)
        there = [entry["name"] for entry in entries]
        choices = dice.sample(there, min(len(there), dice.choice([0, 0, 1, 1, 2])))
        disabled = dice.sample(there, min(len(there), dice.choice([0, 0, 1])))
        place = folder / f"t{row}"
        place.mkdir()
        (place / "space.json").write_text(json.dumps({"name": "s", "modules": [{"configuration": {"space": {"tools": entries}}}]}))
        (place / "toolcrib.toml").write_text(f"[unique]\nchoices = {json.dumps(choices)}\ndisabled = {json.dumps(disabled)}\n")
        ours = [tool["name"] for tool in toolcrib(options.toolcrib, "tools", "--json", "-w", str(place)) if tool["available"]]
        real = real_turn(entries, choices, disabled)
        differences["turns"] += 1
        if ours != real:
            differences["DIFFERENT: turn"] += 1
            print(f"turn {row}: the toolkit gives {real}, toolcrib {ours}\n  {json.dumps(entries)}\n  choices {choices}, disabled {disabled}")
    return differences


TEMPLATE = "a {% if true %}b{% endif %}"
# How a tool's prompts are called by toolcrib, and by the toolkit.
PROMPTS = {
    "Description": "tool_description",
    "System prompt": "tool_system_prompt",
    "Format information, system prompt": "tool_format_information_for_system_prompt",
    "User prompt": "tool_user_prompt",
    "Format information, user prompt": "tool_format_information_for_user_prompt",
}


def asked_prompts(name, configuration):
    """What the tool itself says its prompts are, of a configuration and nothing else; None where it needs more."""
    kind = ToolFactory.tool_map.get(name, OpenAICodeInterpreterTool)
    tool = object.__new__(kind)
    config = CONFIGS[name].model_validate(configuration)
    settings = MagicMock(display_name="Shown")
    own = getattr(config, "tool_config", config)
    tool.__dict__ |= {"config": config, "_config": own, "name": name, "_display_name": "Shown", "settings": settings}
    tool.__dict__ |= {files: [] for files in ("_user_uploaded_files", "_kb_uploaded_files", "_code_interpreter_artifacts", "_failed_uploads")}
    try:
        return tool.get_tool_prompts()
    except Exception as error:
        print(f"{name} is not asked: {type(error).__name__}: {error}")


def compare_renderings(options, folder):
    """Which prompts a tool renders: each of them is the same template."""
    differences = Counter()
    for name, config in CONFIGS.items():
        default = config().model_dump(mode="json", by_alias=True)
        for members in [default] + [value for value in default.values() if isinstance(value, dict)]:
            for member, value in members.items():
                if isinstance(value, str) and ("rompt" in member or member == "toolDescription"):
                    members[member] = TEMPLATE
        is_agent = name == "SubAgentTool"
        entry = {"name": name, "configuration": default, "displayName": "Shown", "selectionPolicy": "ByUser", "isSubAgent": is_agent}
        (folder / "prompts" / f"{name}.json").write_text(json.dumps(entry))
        real = asked_prompts(name, default)
        if real is None:
            continue
        for prompt in toolcrib(options.toolcrib, "tools", "--model", name, "--json", "-w", str(folder / "prompts"))["prompts"]:
            text = getattr(real, PROMPTS.get(prompt["title"], ""), None)
            if text not in (TEMPLATE, "a b"):
                continue
            differences["renderings"] += 1
            if text != prompt["text"]:
                differences["DIFFERENT: rendering"] += 1
                print(f"{name} {prompt['place']}: the tool says {text!r}, toolcrib {prompt['text']!r}")
    return differences


def compare_prompts(options, folder):
    """Every text of a default configuration that toolcrib renders, rendered by both."""
    differences = Counter()
    place = folder / "prompts"
    place.mkdir()
    export.export(place / "unique", CONFIGS)
    (place / "toolcrib.toml").write_text("")
    for name, config in CONFIGS.items():
        default = config().model_dump(mode="json", by_alias=True)
        entry = {"name": name, "configuration": default, "displayName": "Shown", "selectionPolicy": "ByUser"}
        (place / f"{name}.json").write_text(json.dumps(entry))
        values = {"tool_name": name, "display_name": "Shown"} | {snake(key): value for key, value in default.items()}
        for prompt in toolcrib(options.toolcrib, "tools", "--model", name, "--json", "-w", str(place))["prompts"]:
            text = default
            for token in prompt["place"].split(" › "):
                text = text[token]
            if not any(sign in text for sign in ("{{", "{%", "{#")):
                continue
            # What the tool does not render is shown as it is written.
            if prompt["text"] == text:
                continue
            real = render_template(text, dict(values))
            differences["prompts"] += 1
            if real != prompt["text"]:
                differences["DIFFERENT: prompt"] += 1
                print(f"{name} {prompt['place']}: the toolkit renders\n{real!r}\ntoolcrib {prompt['text']!r} {prompt['fault']}")
    return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--toolcrib", required=True)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    print("seed", options.seed)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "entries").mkdir()
        counts = compare_entries(options, random.Random(options.seed), place / "entries")
        counts += compare_turns(options, random.Random(options.seed), place)
        counts += compare_prompts(options, place)
        counts += compare_renderings(options, place)
    for what, count in sorted(counts.items()):
        print(f"{count:6} {what}")
    sys.exit(any(what.startswith("DIFFERENT") for what in counts))


if __name__ == "__main__":
    main()
