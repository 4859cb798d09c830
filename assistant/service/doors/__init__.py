"""Doors for other programs: chat clients that speak OpenAI's protocol, and clients of the Model Context Protocol."""
