"""The chat: a prompt that stays usable while a task runs, so that a new message or Ctrl-C can interrupt it."""

import asyncio
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assistant.cli import render
from assistant.cli.arriving import arriving
from assistant.cli.commands import called
from assistant.cli.failures import report
from assistant.cli.keeping import kept_meanwhile
from assistant.cli.opening import greet, opened
from assistant.cli.outgoing import announced, leave
from assistant.cli.piped import lines
from assistant.cli.process import sound
from assistant.cli.resuming import resumed
from assistant.cli.steps import Steps
from assistant.errors import AssistantError
from assistant.facade import Assistant, Turn
from integrations.errors import IntegrationError
from storage.errors import StorageError

LEAVING = frozenset({"quit", "exit", "bye", "/quit", "/exit", ":q"})
HELP = """Say what you would like, in plain words:
  what's on my calendar tomorrow?
  find mails from Marcus about the budget last week
  am I free Thursday at 3?
  send a mail to Anna saying I'll be ten minutes late
  send Tom a mail tomorrow at 8 saying …
  summarise my unread mail
  move my 3pm to 4pm
  brief me
  every weekday at 8 summarise my inbox and my day
  remind me to call the bank on Friday
  what needs my attention?
  who haven't I answered?
  why did you do that?  what did you do today?
When a preview is shown: approve · cancel · or say what to change ("make it 4 pm", "leave out Tom").
Also: previews · flows · undo · resume the … · help · quit.
Ctrl-C pauses a task that is running; nothing is lost."""
WORDS = (
    "approve", "cancel", "previews", "flows", "undo", "resume the ", "help", "quit", "what's on my calendar ",
    "brief me", "remind me to ", "what are my schedules?", "every weekday at ",
    "what needs my attention?", "who haven't I answered?", "summarise my unread mail", "find mails from ", "am I free ",
    "send a mail to ", "reply to ", "forward ", "archive ", "move my ", "schedule a meeting with ", "cancel my ", "find contact ",
)  # fmt: skip


async def chat(home: Path | None, conversation: str, *, steps: bool) -> int:
    out = render.console()
    async with opened(home, out) as a, kept_meanwhile(a):
        await greet(a, out)
        talk = _typed if sys.stdin.isatty() else _piped
        async with announced(a, out), resumed(a, out), arriving(a, conversation, out):
            status = await talk(a, conversation, out, steps)
        await leave(a, out, called(home))
        return status


async def _piped(a: Assistant, conversation: str, out: Console, steps: bool) -> int:
    """Each line is a message, answered before the next."""
    async for text in lines():
        out.print(Text(f"› {text}", style="bold"))
        if text.casefold() in LEAVING:
            break
        await _dealt_with(a, conversation, text, out, steps)
    return 0


async def _typed(a: Assistant, conversation: str, out: Console, steps: bool) -> int:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.formatted_text import HTML
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.patch_stdout import patch_stdout

    history = a.home / "chat_history"
    completer = WordCompleter(list(WORDS), ignore_case=True, sentence=True)
    session: PromptSession[str] = PromptSession(history=FileHistory(str(history)), completer=completer, complete_while_typing=False)
    running: asyncio.Task[None] | None = None
    with patch_stdout(raw=True):
        while True:
            try:
                text = sound(await session.prompt_async(HTML("<b>›</b> "))).strip()
            except KeyboardInterrupt:
                if running and not running.done():
                    await a.suspend(conversation)
                else:
                    out.print(Text("(nothing is running; say quit, or press Ctrl-D, to leave)", style="dim"))
                continue
            except EOFError:
                text = "quit"
            if text.casefold() in LEAVING:
                if running and not running.done():
                    await a.suspend(conversation)
                    await running
                return 0
            if text:
                running = asyncio.create_task(_dealt_with(a, conversation, text, out, steps))
                # What answers at once is answered before the prompt comes back; what takes longer can be interrupted.
                await asyncio.wait([running], timeout=0.3)


async def _dealt_with(a: Assistant, conversation: str, text: str, out: Console, steps: bool) -> None:
    """One line typed: a word of the chat's own, or a message. An output that can't be written ends the chat."""
    try:
        if not await _own_word(a, text, out):
            out.print(render.turn(await _with_steps(a, conversation, text, out, steps), a.clock()))
    except (AssistantError, IntegrationError, StorageError) as error:
        report(error)
    except OSError as error:
        if error.filename is None:
            raise
        report(error)
    except Exception as error:
        report(error)


async def _own_word(a: Assistant, text: str, out: Console) -> bool:
    word = text.casefold().lstrip("/").rstrip("?")
    if word == "help":
        out.print(HELP)
    elif word == "previews":
        found = await a.open_previews()
        out.print(*(render.Card(p, a.clock()) for p in found) if found else ("Nothing awaits your approval.",))
    elif word == "flows":
        heads = await a.flows(resting=True)
        out.print(render.flow_table(heads) if heads else "No task is waiting or suspended.")
    else:
        return False
    return True


async def _with_steps(a: Assistant, conversation: str, text: str, out: Console, steps: bool) -> Turn:
    following = asyncio.create_task(Steps(out, all_steps=steps).follow(a.events(conversation)))
    await asyncio.sleep(0)
    try:
        turn = await a.say(conversation, text)
        await asyncio.sleep(0)
        return turn
    finally:
        following.cancel()
