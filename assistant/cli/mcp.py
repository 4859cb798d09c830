"""`assistant mcp`: the tools for programs over standard input and output, for the owner of this machine."""

from pathlib import Path

from assistant.bootstrap import open_assistant, settings_for
from assistant.service.doors.mcp import over_stdio


async def serve_tools(home: Path | None) -> int:
    settings = settings_for(home)
    async with open_assistant(home, resident=True, settings=settings) as assistant:
        await over_stdio(assistant, settings.public_url)
    return 0
