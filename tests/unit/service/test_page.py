"""The page's files: served as what they are, nothing else beside them, and nothing in them that a strict browser would refuse."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

import assistant.service
from assistant.service import problems
from assistant.service.problems import Problem
from assistant.service.routes import page

FOLDER = Path(assistant.service.__file__).parent / "page"
FILES = sorted(one.relative_to(FOLDER).as_posix() for one in FOLDER.rglob("*") if one.is_file())
SCRIPTS = [name for name in FILES if name.endswith(".js")]


@pytest.fixture
async def browser() -> AsyncIterator[httpx2.AsyncClient]:
    app = FastAPI()
    app.include_router(page.router)
    app.add_exception_handler(Problem, problems.answer)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost") as client:
        yield client


async def test_the_page_itself_stands_at_the_root(browser: httpx2.AsyncClient) -> None:
    answer = await browser.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.content == (FOLDER / "index.html").read_bytes()


@pytest.mark.parametrize("name", FILES)
async def test_each_file_is_served_as_what_it_is(browser: httpx2.AsyncClient, name: str) -> None:
    answer = await browser.get(f"/page/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == page.TYPES[Path(name).suffix]
    assert answer.content == (FOLDER / name).read_bytes()


async def test_a_browser_that_has_the_file_is_not_sent_it_again(browser: httpx2.AsyncClient) -> None:
    first = await browser.get("/page/styles/base.css")
    assert first.headers["cache-control"] == "no-cache"
    again = await browser.get("/page/styles/base.css", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await browser.get("/page/styles/base.css", headers={"If-None-Match": '"another"'})
    assert other.content == first.content


@pytest.mark.parametrize(
    "name",
    [
        "",
        "styles",
        "styles/",
        "none.js",
        "../app.py",
        "%2e%2e/app.py",
        "..%2fapp.py",
        "styles/..%2f..%2fapp.py",
        "%2fetc%2fpasswd",
        "index.html%00",
    ],
)
async def test_nothing_but_the_pages_files_is_served(browser: httpx2.AsyncClient, name: str) -> None:
    assert (await browser.get(f"/page/{name}")).status_code == 404


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_script_imports_is_there(name: str) -> None:
    text = (FOLDER / name).read_text()
    for imported in re.findall(r"""(?:from|import\()\s*["'](\.[^"'`$]+)["']""", text):
        assert ((FOLDER / name).parent / imported).resolve().is_file(), imported


@pytest.mark.parametrize("name", FILES)
def test_no_file_names_another_host(name: str) -> None:
    known = ("http://www.w3.org/2000/svg",)  # a name, which nothing is fetched from
    found = re.findall(r"""(?:https?:)?//[\w.-]+\.\w{2,}[^\s"'`<)]*""", _without_comments((FOLDER / name).read_text()))
    assert [address for address in found if address not in known] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_elements_or_code_of_text(name: str) -> None:
    text = _without_comments((FOLDER / name).read_text())
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|\.cssText|\"style\"|style:", text
    )


def _without_comments(text: str) -> str:
    return re.sub(r"^\s*//.*$|/\*.*?\*/", "", text, flags=re.MULTILINE | re.DOTALL)
