"""Which servers an address leads to: known services, DNS, well-known addresses, and names that are usual.

Nothing secret is sent here. Where DNS or a server's redirect leads out of the address's own domain, that is to be asked of the user
first: a certificate proves no more than that a server has the name that was asked for."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal, get_args
from urllib.parse import urljoin, urlsplit

from integrations.common.addresses import wire_email
from integrations.errors import IntegrationError
from integrations.standards.discovery.naming import Answer, Names, Place
from integrations.standards.discovery.reaching import PATIENCE, Reach
from integrations.standards.discovery.services import Service, service_behind, service_of, within
from integrations.standards.endpoints import Endpoint, Protocol, endpoint_of, is_loopback
from integrations.types import Value

Which = Literal["imap", "smtp", "caldav", "carddav"]
Source = Literal["told", "known", "named", "usual"]
WHICH: tuple[Which, ...] = get_args(Which)
PROTOCOLS: Mapping[Which, Protocol] = {"imap": "imap", "smtp": "smtp", "caldav": "http", "carddav": "http"}
NAMED: tuple[tuple[str, Which, str], ...] = (
    ("imaps", "imap", "imaps"),
    ("imap", "imap", "imap+starttls"),
    ("submissions", "smtp", "smtps"),
    ("submission", "smtp", "smtp+starttls"),
    ("caldavs", "caldav", "https"),
    ("caldav", "caldav", "http"),
    ("carddavs", "carddav", "https"),
    ("carddav", "carddav", "http"),
)
"""Services as SRV records name them, best first, with the scheme of their addresses."""
USUAL: Mapping[Which, tuple[str, ...]] = {
    "imap": ("imaps://imap.{}", "imaps://mail.{}", "imaps://{}", "imap+starttls://imap.{}", "imap+starttls://mail.{}"),
    "smtp": ("smtps://smtp.{}", "smtps://mail.{}", "smtps://{}", "smtp+starttls://smtp.{}", "smtp+starttls://mail.{}"),
    "caldav": ("https://{}/", "https://caldav.{}/", "https://dav.{}/", "https://mail.{}/", "https://cloud.{}/"),
    "carddav": ("https://{}/", "https://carddav.{}/", "https://dav.{}/", "https://mail.{}/", "https://cloud.{}/"),
}
MOST_REDIRECTS = 5
SPEAKS_DAV = (207, 401)
"""How a server answers PROPFIND to a stranger; others answer that there is nothing, or that they don't know the method."""
ASKS = b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>'


class Candidate(Value):
    """`elsewhere`: neither the user, nor the table, nor the address's own domain stands for this server."""

    which: Which
    server: str
    source: Source
    elsewhere: bool = False

    @property
    def host(self) -> str:
        return urlsplit(self.server).hostname or ""


class Found(Value):
    """`candidates` of each kind, best first; `refused`: what the domain says it has not got."""

    service: Service | None = None
    candidates: Mapping[Which, tuple[Candidate, ...]] = {}
    refused: frozenset[Which] = frozenset()

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """Hosts of which is to be asked whether the password may go there."""
        of_all = [one for which in WHICH for one in self.candidates.get(which, ()) if one.elsewhere]
        return tuple(dict.fromkeys(one.host for one in of_all))

    def without(self, hosts: Sequence[str]) -> "Found":
        kept = {which: tuple(one for one in ones if one.host not in hosts) for which, ones in self.candidates.items()}
        return self.model_copy(update={"candidates": kept})


class Discovery:
    """`wanted` are the kinds of servers that are looked for."""

    def __init__(self, names: Names, reach: Reach, wanted: Sequence[Which] = WHICH) -> None:
        self._names, self._reach, self._wanted = names, reach, wanted

    async def of(self, email: str) -> Found:
        domain = wire_email(email).rpartition("@")[2].lower()
        known = service_of(domain)
        if known:
            return Found(service=known, candidates=self._of_service(known, ""))
        behind, named = await asyncio.gather(self._names.exchangers(domain), self._named(domain))
        service = service_behind(behind)
        first = self._of_service(service, domain) if service else {}
        refused = frozenset(which for which in self._wanted if named[which][1] and which not in first)
        found = {which: (*named[which][0], *first.get(which, ())) for which in self._wanted}
        missing = [which for which in self._wanted if not found[which] and which not in refused]
        usual = await asyncio.gather(*(self._usual(which, domain) for which in missing))
        return Found(service=service, candidates={**found, **dict(zip(missing, usual, strict=True))}, refused=refused)

    def _of_service(self, service: Service, domain: str) -> dict[Which, tuple[Candidate, ...]]:
        """`domain` where DNS says that this service is behind it."""
        servers: dict[Which, str] = {which: getattr(service, which) for which in self._wanted}
        return {
            which: (Candidate(which=which, server=server, source="known", elsewhere=bool(domain) and _out_of(domain, server)),)
            for which, server in servers.items()
            if server
        }

    async def _named(self, domain: str) -> Mapping[Which, tuple[tuple[Candidate, ...], bool]]:
        """By SRV records; with whether they say that there is nothing."""
        rows = [row for row in NAMED if row[1] in self._wanted]
        answers = await asyncio.gather(*(self._names.servers(service, domain) for service, *_ in rows))
        paths = await asyncio.gather(*(self._at(domain, *row, answer) for row, answer in zip(rows, answers, strict=True)))
        found: dict[Which, tuple[tuple[Candidate, ...], bool]] = {}
        for which in self._wanted:
            own = [at for at, row in enumerate(rows) if row[1] == which]
            candidates = tuple(candidate for at in own for candidate in paths[at])
            found[which] = candidates, not candidates and any(answers[at].refused for at in own)
        return found

    async def _at(self, domain: str, service: str, which: Which, scheme: str, answer: Answer) -> tuple[Candidate, ...]:
        places = [place for place in answer.places if scheme != "http" or is_loopback(place.host)]
        if not places:
            return ()
        if PROTOCOLS[which] != "http":
            servers = [f"{scheme}://{place.host}:{place.port}" for place in places]
        elif path := await self._names.path(service, domain):
            servers = [f"{scheme}://{place.host}:{place.port}{path}" for place in places]
        else:
            servers = [server for place in places if (server := await self._well_known(_at_root(scheme, place), which))]
        return tuple(_named_candidate(which, server, domain) for server in servers)

    async def _usual(self, which: Which, domain: str) -> tuple[Candidate, ...]:
        guesses = [guess.format(domain) for guess in USUAL[which]]
        found = await asyncio.gather(*(self._there(which, guess) for guess in guesses))
        own = [server for server in found if server]
        return tuple(Candidate(which=which, server=one, source="usual", elsewhere=_out_of(domain, one)) for one in own[:1])

    async def _there(self, which: Which, server: str) -> str:
        """Empty where it is not."""
        endpoint = endpoint_of(server, PROTOCOLS[which])
        if endpoint.protocol == "http":
            return await self._well_known(endpoint, which)
        try:
            await self._reach.check(endpoint)
        except IntegrationError:
            return ""
        return str(endpoint)

    async def _well_known(self, endpoint: Endpoint, which: Which) -> str:
        """Where the well-known address of a web server leads; empty where that is nowhere."""
        address = str(endpoint.model_copy(update={"path": f"/.well-known/{which}"}))
        for _ in range(MOST_REDIRECTS):
            status, onward = await self._asked(address)
            if status in SPEAKS_DAV:
                return address
            address = _onward(address, onward)
            if not address.startswith(f"{endpoint.scheme}://"):
                return ""
        return ""

    async def _asked(self, address: str) -> tuple[int, str]:
        """The status, and where it redirects to; 0 where nobody answers that could be trusted."""
        import httpx

        try:
            endpoint = endpoint_of(address, "http")
            host = await self._reach.where(endpoint.host, endpoint.port)
            context = await self._reach.context()
            headers = {"Depth": "0", "Content-Type": "application/xml", "Host": urlsplit(address).netloc}
            async with (
                httpx.AsyncClient(timeout=PATIENCE, verify=context, follow_redirects=False, trust_env=False) as http,
                http.stream(
                    "PROPFIND",
                    httpx.URL(address).copy_with(host=host),
                    content=ASKS,
                    headers=headers,
                    extensions={"sni_hostname": endpoint.host},
                ) as answer,
            ):
                onward = answer.headers.get("location", "") if answer.is_redirect else ""
                return answer.status_code, onward
        except (httpx.HTTPError, httpx.InvalidURL, IntegrationError, ValueError):
            return 0, ""


def told(which: Which, server: str) -> Candidate:
    """By the user. Raises InvalidResponse where it is no such address."""
    return Candidate(which=which, server=str(endpoint_of(server, PROTOCOLS[which])), source="told")


def _onward(address: str, location: str) -> str:
    """Empty where that is no address."""
    try:
        return urljoin(address, location) if location else ""
    except ValueError:
        return ""


def _named_candidate(which: Which, server: str, domain: str) -> Candidate:
    return Candidate(which=which, server=server, source="named", elsewhere=_out_of(domain, server))


def _at_root(scheme: str, place: Place) -> Endpoint:
    return Endpoint(scheme=scheme, host=place.host, port=place.port, path="/")


def _out_of(domain: str, server: str) -> bool:
    return not within(urlsplit(server).hostname or "", domain)
