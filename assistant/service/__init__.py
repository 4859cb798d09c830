"""The assistant over HTTP: an API, live events, a web page, and doors for other programs."""
