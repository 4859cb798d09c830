"""What is asked of a CardDAV server in XML, and what it answers."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from lxml import etree

DAV, CARD, SERVER = "DAV:", "urn:ietf:params:xml:ns:carddav", "http://calendarserver.org/ns/"
PREFIXES = {"D": DAV, "C": CARD, "S": SERVER}
HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
STATUS = re.compile(r"HTTP/\S+\s+(\d{3})\b")
NEVER_XML = re.compile(
    rb"[\x01-\x08\x0b\x0c\x0e-\x1f]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));", re.IGNORECASE
)
"""Characters that no XML may hold, and that servers pass on all the same from cards that hold them."""


class Malformed(ValueError):
    """It is not what a WebDAV server answers."""


class Resource(NamedTuple):
    """`url` is absolute; `props` are those that the server has, by names as lxml writes them; `status` is that of the resource
    itself: 404 where it is gone."""

    url: str
    props: Mapping[str, etree._Element]
    status: int = 200

    def text(self, name: str) -> str:
        found = self.props.get(named(name))
        return (found.text or "").strip() if found is not None else ""

    def content(self, name: str) -> str:
        """With the white space around it."""
        found = self.props.get(named(name))
        return (found.text or "") if found is not None else ""

    def kinds(self, name: str) -> frozenset[str]:
        """The names of all that is within."""
        found = self.props.get(named(name))
        return frozenset(str(element.tag) for element in found.iter() if element is not found) if found is not None else frozenset()

    def hrefs(self, name: str) -> list[str]:
        found = self.props.get(named(name))
        given = found.findall(named("D:href")) if found is not None else []
        return [url for href in given if (url := _url(self.url, href.text))]

    @property
    def etag(self) -> str:
        return self.text("D:getetag")


class Multistatus(NamedTuple):
    """`token` as sync-collection gives it."""

    resources: tuple[Resource, ...]
    token: str = ""


def named(name: str) -> str:
    """A name such as "D:href" as lxml writes it."""
    prefix, _, local = name.partition(":")
    return f"{{{PREFIXES[prefix]}}}{local}"


def propfind(*props: str) -> bytes:
    return _document("D:propfind", _prop(props))


def multiget(urls: Iterable[str]) -> bytes:
    hrefs = "".join(f"<D:href>{_text(urlsplit(url).path)}</D:href>" for url in urls)
    return _document("C:addressbook-multiget", _prop(("D:getetag", "C:address-data")) + hrefs)


def sync(token: str) -> bytes:
    return _document(
        "D:sync-collection", f"<D:sync-token>{_text(token)}</D:sync-token><D:sync-level>1</D:sync-level>" + _prop(("D:getetag",))
    )


def multistatus(content: bytes, url: str) -> Multistatus:
    """`url` is what was asked. Raises Malformed; an answer that brings a DTD is malformed, whatever is in it."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(NEVER_XML.sub(b"", content), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Malformed(str(error)) from error
    if root.tag != named("D:multistatus") or root.getroottree().docinfo.doctype:
        raise Malformed("it is no multistatus")
    resources = (_resource(response, url) for response in root.iterfind(named("D:response")))
    return Multistatus(tuple(filter(None, resources)), (root.findtext(named("D:sync-token")) or "").strip())


def resolved(base: str, href: str) -> str:
    """Where an href leads from `base`, in one spelling, so that the same place is always named alike, without query and fragment.
    Raises ValueError."""
    parts = urlsplit(urljoin(base, href.strip()))
    host = (parts.hostname or "").encode("idna").decode()
    if parts.scheme not in ("http", "https") or not HOST.fullmatch(host) or parts.username is not None:
        raise ValueError(f"{href!r} leads nowhere")
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[parts.scheme]
    port = f":{parts.port}" if parts.port not in (None, usual) else ""
    return f"{parts.scheme}://{host}{port}{spelt(parts.path or '/')}"


def spelt(path: str) -> str:
    return "/".join(quote(unquote_to_bytes(part), safe="~!$&'()*+,;=:@") for part in path.split("/"))


def _url(base: str, href: str | None) -> str:
    """Empty where it leads nowhere."""
    try:
        return resolved(base, href) if href and href.strip() else ""
    except ValueError:
        return ""


def _resource(response: etree._Element, base: str) -> Resource | None:
    """None where it is none that could be asked for."""
    url = _url(base, response.findtext(named("D:href")))
    if not url:
        return None
    props: dict[str, etree._Element] = {}
    for propstat in response.iterfind(named("D:propstat")):
        if _status(propstat, 200) // 100 == 2:
            props.update((str(prop.tag), prop) for prop in propstat.iterfind(f"{named('D:prop')}/*"))
    return Resource(url, props, _status(response, 200))


def _status(element: etree._Element, usual: int) -> int:
    match = STATUS.match((element.findtext(named("D:status")) or "").strip())
    return int(match[1]) if match else usual


def _document(root: str, content: str) -> bytes:
    spaces = "".join(f' xmlns:{prefix}="{space}"' for prefix, space in PREFIXES.items())
    return f'<?xml version="1.0" encoding="utf-8"?><{root}{spaces}>{content}</{root}>'.encode()


def _prop(props: Iterable[str]) -> str:
    return f"<D:prop>{''.join(f'<{prop}/>' for prop in props)}</D:prop>"


def _text(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
