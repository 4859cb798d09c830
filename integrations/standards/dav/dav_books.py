"""Where an account's address books are: found from any address that leads to them."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from integrations.common.remote import Unreadable
from integrations.errors import AuthExpired, IntegrationError, NotFound, RateLimited, Unavailable
from integrations.standards.dav.dav import Dav
from integrations.standards.dav.dav_errors import Elsewhere
from integrations.standards.dav.dav_xml import Resource, named, propfind, resolved
from integrations.standards.dav.origins import may_go

PRINCIPAL, HOME, KIND = "D:current-user-principal", "C:addressbook-home-set", "D:resourcetype"
WRITES = {named(f"D:{name}") for name in ("all", "write", "write-content", "bind")}
WHO = propfind(KIND, PRINCIPAL, HOME)
WHAT = propfind(
    KIND,
    "D:displayname",
    "D:current-user-privilege-set",
    "D:supported-report-set",
    "C:supported-address-data",
    "D:sync-token",
    "S:getctag",
)
WELL_KNOWN = "/.well-known/carddav"


class Home(NamedTuple):
    """`alone`: the address is that of a single address book."""

    urls: tuple[str, ...]
    alone: bool = False


class Collection(NamedTuple):
    """One address book; `url` ends in "/". `syncs`: it tells what has changed since when; `state` changes when anything in it does,
    and is empty where the server has none; `version` is that of the vCards that are put into it."""

    url: str
    name: str
    read_only: bool
    syncs: bool
    state: str
    version: str

    @property
    def path(self) -> str:
        return urlsplit(self.url).path


async def find_home(dav: Dav) -> Home:
    """The account's own, or the address itself where that is an address book or holds some. NotFound where there is neither."""
    start = resolved(str(dav.start), "")
    worth_telling: IntegrationError | None = None
    for url in (start, resolved(start, WELL_KNOWN)):
        try:
            here = await _resource(dav, url, WHO)
        except (AuthExpired, RateLimited, Unavailable):
            raise
        except IntegrationError as error:
            worth_telling = error if isinstance(error, Unreadable | Elsewhere) else worth_telling
            continue
        if _is_book(here):
            return Home((here.url,), alone=True)
        if homes := here.hrefs(HOME) or await _homes_of_principal(dav, here):
            return Home(tuple(_allowed(dav, home) for home in homes))
        if _books_among(await _tried(dav, here.url)):
            return Home((here.url,))
    if worth_telling:
        raise worth_telling
    raise NotFound(f"No address book was found at {dav.start}; there may be another address for contacts.", dav.server.account)


async def list_books(dav: Dav, home: Home) -> tuple[Collection, ...]:
    """In the order of their addresses."""
    depth = 0 if home.alone else 1
    answers = await asyncio.gather(*(dav.propfind(url, WHAT, depth=depth) for url in home.urls))
    return _books_among([resource for answer in answers for resource in answer.resources])


async def _homes_of_principal(dav: Dav, here: Resource) -> Sequence[str]:
    for principal in here.hrefs(PRINCIPAL):
        return (await _resource(dav, _allowed(dav, principal), propfind(HOME))).hrefs(HOME)
    return ()


async def _tried(dav: Dav, url: str) -> tuple[Resource, ...]:
    """What is there, if anything."""
    try:
        return (await dav.propfind(url, WHAT, depth=1)).resources
    except (AuthExpired, RateLimited, Unavailable):
        raise
    except IntegrationError:
        return ()


async def _resource(dav: Dav, url: str, asked: bytes) -> Resource:
    found = (await dav.propfind(url, asked)).resources
    if not found:
        raise dav.server.unreadable
    return found[0]


def _allowed(dav: Dav, url: str) -> str:
    if not may_go(dav.start, url):
        raise dav.server.elsewhere
    return url


def _books_among(resources: Sequence[Resource]) -> tuple[Collection, ...]:
    found = {resource.url: _collection(resource) for resource in resources if _is_book(resource)}
    return tuple(found[url] for url in sorted(found))


def _is_book(resource: Resource) -> bool:
    return named("C:addressbook") in resource.kinds(KIND)


def _collection(resource: Resource) -> Collection:
    privileges = resource.props.get(named("D:current-user-privilege-set"))
    name = urlsplit(resource.url).path.rstrip("/").rpartition("/")[2]
    return Collection(
        url=resource.url if resource.url.endswith("/") else f"{resource.url}/",
        name=" ".join(resource.text("D:displayname").split()) or name,
        read_only=privileges is not None and not WRITES & resource.kinds("D:current-user-privilege-set"),
        syncs=named("D:sync-collection") in resource.kinds("D:supported-report-set"),
        state=resource.text("D:sync-token") or resource.text("S:getctag"),
        version=_version(resource),
    )


def _version(resource: Resource) -> str:
    """The one that every program reads, unless the server takes the newer one alone."""
    given = resource.props.get(named("C:supported-address-data"))
    versions = {element.get("version", "3.0") for element in given} if given is not None else set()
    return "4.0" if versions and "3.0" not in versions and "4.0" in versions else "3.0"
