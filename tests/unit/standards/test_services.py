"""The table of known services."""

import pytest

from integrations.standards.discovery.discovery import PROTOCOLS, WHICH
from integrations.standards.discovery.services import SERVICES, Service, service_behind, service_of
from integrations.standards.endpoints import endpoint_of, is_loopback


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_server_is_an_address_with_encryption(service: Service):
    for which in WHICH:
        if server := getattr(service, which):
            endpoint = endpoint_of(server, PROTOCOLS[which])
            assert endpoint.security != "none"
            assert str(endpoint) == server
            assert not is_loopback(endpoint.host) or service.name == "Proton Mail"


def test_no_domain_is_two_services():
    domains = [domain for service in SERVICES for domain in service.domains]
    exchangers = [end for service in SERVICES for end in service.mx]
    assert len(set(domains)) == len(domains) and len(set(exchangers)) == len(exchangers)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_a_service_without_mail_says_what_to_do(service: Service):
    assert service.imap or service.instead
    assert service.domains or service.mx


def test_a_service_is_known_by_the_domain_of_its_addresses():
    fastmail = service_of("Fastmail.com")
    assert fastmail and fastmail.name == "Fastmail"
    assert service_of("notfastmail.com") is None


def test_a_service_is_known_by_who_takes_in_the_mail():
    fastmail = service_behind(["in1-smtp.messagingengine.com."])
    assert fastmail and fastmail.name == "Fastmail"
    assert service_behind(["mx.notmessagingengine.com"]) is None
    assert service_behind(["messagingengine.com.evil.example"]) is None
