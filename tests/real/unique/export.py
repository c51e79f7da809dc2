"""Writes what Unique's tools may be configured with as schema files of a workspace.

    PYTHON tests/real/unique/export.py WORKSPACE/unique [MODULE:Config ...]

PYTHON is the Python of an environment that has the packages of the tools. Without more, every tool that
unique-toolkit itself registers is written; MODULE:Config writes one of your own under its class's name.
"""

import importlib
import json
import logging
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

# Modules that register a tool when they are imported.
REGISTERING = [
    "unique_toolkit.agentic.tools.experimental.open_file_tool.tool",
    "unique_toolkit.agentic.tools.experimental.ask_user_tool",
    "unique_toolkit.agentic.tools.experimental.retrieve_search_scope_tool.tool",
    "unique_toolkit.agentic.tools.experimental.todo",
    "unique_toolkit.agentic.tools.a2a.tool.service",
    "unique_toolkit.agentic.tools.openai_builtin.code_interpreter.config",
]
for module in REGISTERING:
    importlib.import_module(module)

from unique_toolkit._common.pydantic.rjsf_tags import ui_schema_for_model  # noqa: E402
from unique_toolkit.agentic.tools.a2a import ExtendedSubAgentToolConfig  # noqa: E402
from unique_toolkit.agentic.tools.factory import ToolFactory  # noqa: E402


def schema_file(config):
    alias = config.model_config.get("alias_generator")
    return {
        "json_schema": config.model_json_schema(),
        "ui_schema": ui_schema_for_model(config, key_transform=alias if callable(alias) else None),
        "default_config": config().model_dump(mode="json", by_alias=True),
    }


def registered():
    """The configurations of the tools, by the names that entries have."""
    configs = {str(name): config for name, config in ToolFactory.tool_config_map.items()}
    # Entries with isSubAgent are read by this one.
    return configs | {"SubAgentTool": ExtendedSubAgentToolConfig}


def export(folder, configs):
    folder.mkdir(parents=True, exist_ok=True)
    for name, config in configs.items():
        (folder / f"{name}.json").write_text(json.dumps(schema_file(config), indent=2) + "\n")


if __name__ == "__main__":
    wanted = {}
    for argument in sys.argv[2:]:
        module, _, name = argument.partition(":")
        wanted[name.removesuffix("Config")] = getattr(importlib.import_module(module), name)
    export(pathlib.Path(sys.argv[1]), wanted or registered())
