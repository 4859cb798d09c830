"""Whether a request has the shape that OpenAI publishes for chat completions. What is wrong is raised as the answer to it."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from doubles.llm.answers import Failure
from doubles.llm.requests import RequestSeen, text_of
from doubles.llm.schemas import Wrong, check_schema

KNOWN = frozenset(
    """
    audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
    modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
    prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
    stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options
    """.split()
)
FIELDS = {"system": "", "developer": "", "user": "", "assistant": "tool_calls refusal audio function_call", "tool": "tool_call_id"}
"""What a message may hold besides role, content and name."""
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check(seen: RequestSeen) -> None:
    body = seen.body
    for name in body:
        _require(name in KNOWN, f"Unknown parameter: '{name}'.", name, "unknown_parameter")
    _require(isinstance(body.get("model"), str) and bool(body["model"]), "you must provide a model parameter")
    _messages(body.get("messages"))
    _tools(body)
    _format(body)
    _numbers(body)
    _streaming(body)


def _require(holds: bool, message: str, param: str | None = None, code: str | None = None) -> None:
    if not holds:
        raise Wrong(message, param, code)


def _typed(value: object, kind: type | tuple[type, ...], param: str) -> None:
    names = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
    right = isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)
    _require(right, f"Invalid type for '{param}': expected {names}, but got {type(value).__name__} instead.", param, "invalid_type")


def _one_of(value: object, allowed: Collection[str], param: str) -> None:
    words = f"Invalid value: {value!r}. Supported values are: {', '.join(allowed)}."
    _require(isinstance(value, str) and value in allowed, words, param, "invalid_value")


def _keys(value: Mapping[str, Any], known: Collection[str], param: str) -> None:
    for key in value:
        _require(key in known, f"Unknown parameter: '{param}.{key}'.", f"{param}.{key}", "unknown_parameter")


def _messages(messages: object) -> None:
    _require(messages is not None, "Missing required parameter: 'messages'.", "messages", "missing_required_parameter")
    assert messages is not None
    _typed(messages, list, "messages")
    assert isinstance(messages, list)
    _require(bool(messages), "Invalid 'messages': empty array. Expected at least 1.", "messages", "empty_array")
    for n, message in enumerate(messages):
        _typed(message, dict, f"messages[{n}]")
        _message(message, f"messages[{n}]")
    _pairing(messages)


def _message(message: dict[str, Any], param: str) -> None:
    role = message.get("role")
    fields = {
        "system": "",
        "developer": "",
        "user": "",
        "assistant": "tool_calls refusal audio function_call",
        "tool": "tool_call_id",
    }
    _require(
        role in fields, f"Invalid value: {role!r}. Supported values are: {', '.join(fields)}.", f"{param}.role", "invalid_value"
    )
    assert isinstance(role, str)
    _keys(message, {"role", "content", "name", *fields[role].split()}, param)
    if "tool_calls" in message:
        _calls(message["tool_calls"], f"{param}.tool_calls")
    _content(message, role, f"{param}.content")
    if role == "tool":
        _typed(message.get("tool_call_id"), str, f"{param}.tool_call_id")


def _content(message: dict[str, Any], role: str, param: str) -> None:
    content = message.get("content")
    if content is None:
        spoken = role == "assistant" and (message.get("tool_calls") or message.get("refusal"))
        _require(bool(spoken), f"Invalid value for '{param}': expected a string, got null.", param)
        return
    if isinstance(content, str):
        return
    _typed(content, list, param)
    kinds = {"user": ("text", "image_url", "input_audio", "file"), "assistant": ("text", "refusal")}.get(role, ("text",))
    for n, part in enumerate(content):
        _typed(part, dict, f"{param}[{n}]")
        kind = part.get("type")
        _one_of(kind, kinds, f"{param}[{n}].type")
        _require(kind in part, f"Missing required parameter: '{param}[{n}].{kind}'.", f"{param}[{n}].{kind}")


def _calls(called: object, param: str) -> None:
    _typed(called, list, param)
    assert isinstance(called, list)
    _require(bool(called), f"Invalid '{param}': empty array. Expected at least 1.", param, "empty_array")
    for n, call in enumerate(called):
        here = f"{param}[{n}]"
        _typed(call, dict, here)
        _keys(call, ("id", "type", "function"), here)
        _typed(call.get("id"), str, f"{here}.id")
        _one_of(call.get("type"), ("function",), f"{here}.type")
        _typed(call.get("function"), dict, f"{here}.function")
        _keys(call["function"], ("name", "arguments"), f"{here}.function")
        _named(call["function"].get("name"), f"{here}.function.name")
        _typed(call["function"].get("arguments"), str, f"{here}.function.arguments")
    ids = [call["id"] for call in called]
    _require(len(set(ids)) == len(ids), f"Duplicate ids in '{param}'.", param)


def _named(name: object, param: str) -> None:
    _typed(name, str, param)
    pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$' and has at most 64 characters."
    _require(NAME.fullmatch(str(name)) is not None, f"Invalid '{param}': {pattern}", param, "invalid_value")


def _pairing(messages: list[dict[str, Any]]) -> None:
    """Every call is answered, and every tool message answers a call of the assistant message before it."""
    open_calls: dict[str, int] = {}
    for n, message in enumerate([*messages, {"role": "end"}]):
        if message["role"] != "tool":
            _all_answered(open_calls)
            open_calls = {call["id"]: n for call in message.get("tool_calls") or ()}
            continue
        stray = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
        _require(message["tool_call_id"] in open_calls, f"Invalid parameter: {stray}", f"messages.[{n}].role")
        del open_calls[message["tool_call_id"]]


def _all_answered(open_calls: Mapping[str, int]) -> None:
    if open_calls:
        rule = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
        missing = f"The following tool_call_ids did not have response messages: {', '.join(open_calls)}"
        raise Wrong(f"{rule} {missing}", f"messages.[{next(iter(open_calls.values()))}].role")


def _tools(body: Mapping[str, Any]) -> None:
    tools = body.get("tools")
    if tools is None:
        for name in ("tool_choice", "parallel_tool_calls"):
            _require(
                body.get(name) is None, f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.", name
            )
        return
    _typed(tools, list, "tools")
    _require(bool(tools), "Invalid 'tools': empty array. Expected at least 1.", "tools", "empty_array")
    names = [_tool(tool, f"tools[{n}]") for n, tool in enumerate(tools)]
    _require(len(set(names)) == len(names), "Duplicate names in 'tools'.", "tools")
    _choice(body.get("tool_choice"), names)


def _tool(tool: object, param: str) -> str:
    _typed(tool, dict, param)
    assert isinstance(tool, dict)
    _keys(tool, ("type", "function"), param)
    _require(
        tool.get("type") == "function", f"Invalid value: {tool.get('type')!r}. Supported values are: function.", f"{param}.type"
    )
    function = tool.get("function")
    _typed(function, dict, f"{param}.function")
    assert isinstance(function, dict)
    _keys(function, ("name", "description", "parameters", "strict"), f"{param}.function")
    _named(function.get("name"), f"{param}.function.name")
    if "description" in function:
        _typed(function["description"], str, f"{param}.function.description")
    if "parameters" in function:
        check_schema(
            function["parameters"], f"function '{function['name']}'", f"{param}.function.parameters", bool(function.get("strict"))
        )
    return str(function["name"])


def _choice(choice: object, names: list[str]) -> None:
    if choice is None or choice in ("none", "auto", "required"):
        return
    _typed(choice, dict, "tool_choice")
    assert isinstance(choice, dict)
    _keys(choice, ("type", "function"), "tool_choice")
    _one_of(choice.get("type"), ("function",), "tool_choice.type")
    _typed(choice.get("function"), dict, "tool_choice.function")
    _keys(choice["function"], ("name",), "tool_choice.function")
    name = choice["function"].get("name")
    _require(name in names, f"Invalid value for 'tool_choice': no tool named {name!r} in 'tools'.", "tool_choice")


def _format(body: Mapping[str, Any]) -> None:
    wanted = body.get("response_format")
    if wanted is None:
        return
    _typed(wanted, dict, "response_format")
    kinds = ("text", "json_object", "json_schema")
    kind = wanted.get("type")
    _require(
        kind in kinds,
        f"Invalid value: {kind!r}. Supported values are: {', '.join(kinds)}.",
        "response_format.type",
        "invalid_value",
    )
    _keys(wanted, ("type", "json_schema") if kind == "json_schema" else ("type",), "response_format")
    if kind == "json_schema":
        _json_schema(wanted.get("json_schema"))
    if kind == "json_object":
        said = "\n".join(text_of(message) for message in body["messages"]).lower()
        rule = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        _require("json" in said, rule, "messages")


def _json_schema(given: object) -> None:
    param = "response_format.json_schema"
    _require(given is not None, f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
    _typed(given, dict, param)
    assert isinstance(given, dict)
    _keys(given, ("name", "description", "schema", "strict"), param)
    _named(given.get("name"), f"{param}.name")
    check_schema(given.get("schema"), f"response_format '{given['name']}'", "response_format", bool(given.get("strict")))


def _numbers(body: Mapping[str, Any]) -> None:
    for name in ("max_tokens", "max_completion_tokens", "n"):
        if body.get(name) is not None:
            _typed(body[name], int, name)
            _require(body[name] >= 1, f"Invalid '{name}': integer below minimum value.", name, "integer_below_min_value")
    both = body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None
    _require(not both, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    for name, low, high in (("temperature", 0, 2), ("top_p", 0, 1), ("presence_penalty", -2, 2), ("frequency_penalty", -2, 2)):
        if body.get(name) is not None:
            _typed(body[name], (int, float), name)
            _require(low <= body[name] <= high, f"Invalid '{name}': expected a value from {low} to {high}.", name)
    if body.get("seed") is not None:
        _typed(body["seed"], int, "seed")
    if body.get("stop") is not None:
        _typed(body["stop"], (str, list), "stop")


def _streaming(body: Mapping[str, Any]) -> None:
    for name in ("stream", "parallel_tool_calls", "store"):
        if body.get(name) is not None:
            _typed(body[name], bool, name)
    options = body.get("stream_options")
    if options is None:
        return
    _require(bool(body.get("stream")), "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    _typed(options, dict, "stream_options")
    _keys(options, ("include_usage", "include_obfuscation"), "stream_options")


def lacking(seen: RequestSeen, lacks: Collection[str]) -> Failure | None:
    """The refusal of an endpoint that can do less. `lacks` names parameters, or a response_format's type."""
    for name in lacks:
        if name in seen.body or (name == seen.format and name != "text"):
            return _lacking(name)
    return None


def _lacking(name: str) -> Failure:
    if name.startswith("json_"):
        words = f"Invalid parameter: 'response_format' of type '{name}' is not supported with this model."
        return Failure(400, words, param="response_format")
    instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
    words = f"Unsupported parameter: '{name}' is not supported with this model.{instead}"
    return Failure(400, words, param=name, code="unsupported_parameter")


def parsed(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Wrong("We could not parse the JSON body of your request.")
    return body
