"""An MCP server made with Unique's own package: a tool that says what it may be configured with, and answers with how it was."""
import os

os.environ.update(FASTMCP_CHECK_FOR_UPDATES="off", FASTMCP_SHOW_SERVER_BANNER="false")

from typing import Annotated, Literal  # noqa: E402

from fastmcp import FastMCP  # noqa: E402
from fastmcp.dependencies import Depends  # noqa: E402
from pydantic import BaseModel, Field  # noqa: E402
from unique_mcp.meta import ConfigSchemaMeta, ContextRequirements, MetaKeys, get_tool_config, merge_tool_meta  # noqa: E402
from unique_mcp.unique_injectors import get_request_meta  # noqa: E402
from unique_toolkit._common.pydantic.rjsf_tags import RJSFMetaTag  # noqa: E402


class Limits(BaseModel):
    days: int = Field(5, ge=1, le=14, description="How far ahead")


class ForecastConfig(BaseModel):
    units: Literal["celsius", "fahrenheit"] = "celsius"
    limits: Limits = Limits()
    prompt: Annotated[str, RJSFMetaTag.StringWidget.textarea(rows=4)] = Field("Say it in a sentence.", description="For the model")


server = FastMCP("sky")
wants = ContextRequirements(required=[MetaKeys.CHAT_ID.value], optional=[MetaKeys.USER_ID.value])


@server.tool(meta=merge_tool_meta({}, ConfigSchemaMeta(ForecastConfig), wants))
async def forecast(place: str, config: ForecastConfig = Depends(get_tool_config(ForecastConfig))) -> str:
    """Forecasts the weather"""
    said = get_request_meta() or {}
    chat = said.get(MetaKeys.CHAT_ID.value)
    return f"{place}: {config.limits.days} days in {config.units}, chat {chat}"


server.run(transport="stdio")
