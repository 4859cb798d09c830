"""Where the service listens, and whether it may."""

import socket
from pathlib import Path

import pytest

from assistant.errors import UserError
from assistant.service.listening import CannotListen, Listening


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.2", "::1"])
def test_this_machine_alone_needs_no_tls(host: str):
    Listening(host=host).check()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "box.lan", ""])
def test_a_network_needs_tls_or_a_word_that_it_does_not(host: str):
    with pytest.raises(UserError, match="--tls-cert and --tls-key, or --behind-proxy"):
        Listening(host=host).check()
    Listening(host=host, behind_proxy=True).check()
    Listening(host=host, insecure_http=True).check()


def test_tls_needs_both_files(tmp_path: Path):
    with pytest.raises(UserError, match="both"):
        Listening(cert=tmp_path / "cert.pem").check()


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(UserError, match=r"cert\.pem can't be read: No such file"):
        Listening(cert=tmp_path / "cert.pem", key=tmp_path / "key.pem").check()


def test_files_that_are_no_certificate_are_told(tmp_path: Path):
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_text("nothing of the kind")
    with pytest.raises(UserError, match="not a certificate"):
        Listening(cert=tmp_path / "cert.pem", key=tmp_path / "key.pem").check()


def test_a_port_in_use_is_told():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotListen, match=f"Port {port} on 127.0.0.1 is in use already") as told:
            Listening(port=port).sockets()
    assert told.value.code == 4


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-name.invalid"])
def test_an_address_of_another_machine_is_told(host: str):
    with pytest.raises(CannotListen, match=host):
        Listening(host=host, insecure_http=True).sockets()


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")
def test_localhost_is_taken_in_both_families_so_that_nobody_else_can_answer_there():
    sockets = Listening(port=0).sockets()
    try:
        assert {one.getsockname()[0] for one in sockets} == {"127.0.0.1", "::1"}
        assert len({one.getsockname()[1] for one in sockets}) == 1
    finally:
        for one in sockets:
            one.close()


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost:1"),
        ("0.0.0.0", "http://localhost:1"),
        ("::1", "http://[::1]:1"),
        ("box.lan", "http://box.lan:1"),
    ],
)
def test_the_address_is_one_that_a_browser_here_can_open(host: str, url: str):
    assert Listening(host=host).url(1) == url
