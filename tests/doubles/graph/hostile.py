"""A stranger's server: it takes down whatever it is sent, and answers as if it were Graph."""

from doubles.emulating.server import Server
from doubles.emulating.wire import Answer, Request, told


class Hostile(Server):
    name = "a stranger's server"

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []

    async def answer(self, request: Request) -> Answer:
        self.requests.append(request)
        return told({"value": []})
