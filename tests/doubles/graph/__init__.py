"""Outlook's mail, calendar and contacts as Microsoft Graph tells of them, on the loopback; bodies are held to the models of the
SDK."""

from doubles.graph.calls import Call, GraphError, GraphUser
from doubles.graph.emulator import GraphEmulator

__all__ = ["Call", "GraphEmulator", "GraphError", "GraphUser"]
