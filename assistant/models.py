"""The language models that the settings name: who asks them, each call metered. For `assistant.bootstrap` alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from assistant.drafting.blackboard import Limits, Mind
from assistant.drafting.choosing import When
from assistant.drafting.model import Agent, ModelSeat
from assistant.drafting.options import Options
from assistant.drafting.table import Table
from assistant.errors import UserError
from assistant.llm.budget import Budget, Limit
from assistant.llm.client import ChatClient
from assistant.llm.endpoint import DEFAULT_MODEL, Endpoint, EndpointClient
from assistant.llm.failover import Failover
from assistant.llm.metering import Ledger, Meter, MeteredClient
from assistant.llm.pricing import Price, PriceTable, unpriced
from assistant.reasoning.base import Reasoner
from assistant.reasoning.llm.reasoner import PATIENCE, ROLES, LlmReasoner
from config.drafting import PRESENTER, DrafterSetting, DraftingSettings
from config.models import LlmSettings, ModelSetting
from config.settings import Settings

OF_ITS_PLACE = ("model", "api_key", "azure_version", "effort")
"""What is said of a model at one endpoint and means nothing at another."""


@dataclass(frozen=True)
class Models:
    """Without `reasoner` it is the offline one."""

    reasoner: Reasoner | None
    table: Table
    clients: tuple[EndpointClient, ...] = ()

    async def close(self) -> None:
        for client in self.clients:
            await client.close()


def models_of(settings: Settings, ledger: Ledger, clock: Callable[[], datetime], zone: ZoneInfo) -> Models:
    """Nothing is sent, and no SDK imported, before a model is first asked."""
    if not settings.llm.is_set:
        return Models(None, table_of_rules(settings))
    clients = Clients(settings.llm, meter_of(settings, ledger, clock, zone))
    return Models(_reasoner(settings.llm, clients), _table(settings, clients), tuple(clients.opened.values()))


def table_of_rules(settings: Settings) -> Table:
    drafting = settings.drafting
    return Table(options=_options(drafting), when=When(**drafting.when.model_dump()))


def endpoints_in_use(settings: Settings) -> tuple[Endpoint, ...]:
    """The first, with each model that some question has, those of the drafters, and the second."""
    return tuple(dict.fromkeys(_in_use(settings))) if settings.llm.is_set else ()


def _in_use(settings: Settings) -> Iterator[Endpoint]:
    llm, drafting = settings.llm, settings.drafting
    yield from (_endpoint(llm, model or llm.model) for _, model in llm.roles)
    yield from (_of_drafter(llm, agent) for agent in drafting.agents)
    if drafting.presenter.given:
        yield _of_drafter(llm, drafting.presenter)
    if second := _second(llm):
        yield second


def meter_of(settings: Settings, ledger: Ledger, clock: Callable[[], datetime], zone: ZoneInfo) -> Meter:
    """Raises UserError where a budget in dollars meets a model without a price. What an endpoint chooses by itself is known, and
    refused, at the first call."""
    llm = settings.llm
    prices = PriceTable(prices={name: Price(**price.model_dump()) for name, price in llm.prices.items()})
    budget = Budget(flow=Limit(**llm.budget.flow.model_dump()), day=Limit(**llm.budget.day.model_dump()))
    for endpoint in endpoints_in_use(settings) if budget.in_dollars else ():
        model = endpoint.model or ("" if endpoint.base_url else DEFAULT_MODEL)
        if model and not prices.knows(model):
            raise UserError(unpriced(model))
    return Meter(ledger, prices, budget, clock, zone)


class Clients:
    """Clients under one meter; whoever asks the same endpoint shares what is learned about it."""

    def __init__(self, llm: LlmSettings, meter: Meter) -> None:
        self.meter, self.second = meter, _second(llm)
        self.opened: dict[Endpoint, EndpointClient] = {}

    def client(self, endpoint: Endpoint, role: str) -> ChatClient:
        """With the second model behind it, where there is one."""
        first = self._metered(endpoint, role)
        return Failover(first, self._metered(self.second, role)) if self.second else first

    def _metered(self, endpoint: Endpoint, role: str) -> MeteredClient:
        if endpoint not in self.opened:
            self.opened[endpoint] = EndpointClient(endpoint)
        return MeteredClient(self.opened[endpoint], role, self.meter, endpoint.longest)


def _reasoner(llm: LlmSettings, clients: Clients) -> LlmReasoner:
    models = {role: model or llm.model for role, model in llm.roles}
    patience = PATIENCE * (llm.timeout + (clients.second.timeout if clients.second else 0))
    return LlmReasoner({role: clients.client(_endpoint(llm, models[role]), role) for role in ROLES}, patience)


def _table(settings: Settings, clients: Clients) -> Table:
    llm, drafting, presenter = settings.llm, settings.drafting, settings.drafting.presenter
    seats = tuple(_seat(agent.name, agent, llm, clients) for agent in drafting.agents)
    presents = _seat(PRESENTER, presenter, llm, clients) if presenter.given else None
    return Table(
        seats=seats,
        presenter=presents,
        minds=tuple(_mind(seat) for seat in seats),
        decider=_mind(presents) if presents else None,
        options=_options(drafting),
        board=drafting.board,
        limits=Limits(timeout=drafting.timeout),
        price=clients.meter.prices.cost,
        when=When(**drafting.when.model_dump()),
    )


def _seat(name: str, given: DrafterSetting, llm: LlmSettings, clients: Clients) -> ModelSeat:
    agent = Agent(id=name, style=given.style, system=given.system, temperature=given.temperature)
    return ModelSeat(agent, clients.client(_of_drafter(llm, given), "draft"))


def _mind(seat: ModelSeat) -> Mind:
    """At a blackboard each plays several parts, so that a style of writing would be in the way."""
    return Mind(seat.client, seat.agent.temperature, seat.agent.system)


def _options(drafting: DraftingSettings) -> Options:
    """Of what may be 0 for no limit."""
    given = drafting.model_dump(include=set(Options.model_fields))
    return Options(**given | {name: given[name] or None for name in ("max_answers", "at_once")})


def _endpoint(setting: ModelSetting, model: str) -> Endpoint:
    return Endpoint.model_validate(setting.model_dump(include=set(Endpoint.model_fields)) | {"model": model})


def _second(llm: LlmSettings) -> Endpoint | None:
    """Where it names no model, it is the first's at the first's endpoint, and the endpoint's own choice at another."""
    if not llm.second.is_set:
        return None
    return _endpoint(llm.second, llm.second.model or (llm.model if llm.second.base_url == llm.base_url else ""))


def _of_drafter(llm: LlmSettings, given: DrafterSetting) -> Endpoint:
    """That of drafts, but for what is given. Whoever has a key but no address asks OpenAI's own, as everywhere in the settings."""
    own = {name: getattr(given, name) for name in given.given & set(Endpoint.model_fields)}
    usual = _endpoint(llm, llm.roles.draft or llm.model)
    if not given.is_set or given.base_url == llm.base_url:
        return usual.model_copy(update=own)
    elsewhere = {name: Endpoint.model_fields[name].default for name in OF_ITS_PLACE}
    return usual.model_copy(update={**elsewhere, "base_url": "", **own})
