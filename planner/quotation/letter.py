"""The words of a request for quotation: what, how many, where, from when, for how long, on which terms.

It goes to a seller, so it says nothing of the budget, of how sure the plan must be, of what the plan expects to pay, of the
work itself, or of who else is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from engine.answer import Option, Site
from engine.inputs.agreed import OWN_SITE
from engine.inputs.hardware import Offer
from planner.asked.kinds import WORK
from planner.asked.voice import Voice
from planner.frozen.snapshot import Plan
from planner.names import provider_name
from planner.quotation.asks import Ask
from voice.terms import TERMS

ANSWER_DAYS, HELD_DAYS = 10, 30
"""Days that a seller is given to answer, and days for which an answer is asked to hold at the least."""
_BITS = 8.0


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What whoever sends it may say besides what the plan holds."""

    reference: str
    sent: date
    reply_by: date
    valid_until: date
    contact: str = ""
    place: str = ""
    """Where servers are delivered to."""
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Letter:
    """One request to one seller, as texts."""

    seller: str
    subject: str
    opening: str
    rows: tuple[tuple[str, str], ...]
    """Label and text of each thing that is asked for."""
    questions: tuple[str, ...]
    blanks: tuple[str, ...]
    """What the answer must fill in."""
    closing: tuple[str, ...]

    @property
    def text(self) -> str:
        """The body of an e-mail."""
        asked = "\n".join(f"{label}: {text}" for label, text in self.rows)
        numbered = "\n".join(f"{at}. {question}" for at, question in enumerate(self.questions, 1))
        blanks = "\n".join(f"{label}: " for label in self.blanks)
        return "\n\n".join((self.opening, asked, numbered, blanks, *self.closing)) + "\n"


def usual_days(plan: Plan, today: date) -> tuple[date, date]:
    """Until when to answer, and until when the price is asked to hold: beyond the first day of the work."""
    reply_by = today + timedelta(days=ANSWER_DAYS)
    return reply_by, max(reply_by + timedelta(days=HELD_DAYS), plan.start)


def letter_of(plan: Plan, ask: Ask, terms: Terms, voice: Voice) -> Letter:
    """The request to that seller."""
    tr, offer = voice.tr, ask.offer
    seller = voice.name(provider_name(offer.provider)) if offer else tr("Sales")
    rows = _rented(plan, ask.option, offer, terms, voice) if offer else _bought(plan, ask.option, terms, voice)
    ends = (
        (tr("Price valid until"), tr("{day} at the earliest", day=voice.day(terms.valid_until))),
        (tr("Answer by"), voice.day(terms.reply_by)),
    )
    note = ((tr("Remarks"), voice.name(terms.note)),) if terms.note else ()
    return Letter(
        seller=seller,
        subject=tr("Request for quotation {reference}: {what}", reference=terms.reference, what=_asked_for(ask, voice)),
        opening=tr("Dear {seller}, please quote for the following.", seller=seller),
        rows=(*rows, *ends, *note),
        questions=tuple(_asked_rented(offer, voice) if offer else _asked_bought(voice)),
        blanks=_blanks(offer, voice),
        closing=tuple(_closing(terms, voice)),
    )


def _sites(option: Option, offer: Offer) -> list[Site]:
    """What that seller has of it: the second site of a service may be another's."""
    return [site for site in option.sites if site.offer.provider == offer.provider]


def _what(option: Option, voice: Voice, count: int) -> str:
    """“16 × H100 SXM”."""
    return f"{voice.number(count)}\u00a0×\u00a0{voice.name(option.accelerator_name)}"


def _asked_for(ask: Ask, voice: Voice) -> str:
    sites = _sites(ask.option, ask.offer) if ask.offer else []
    return _what(ask.option, voice, sum(site.count for site in sites) or ask.option.count)


def _rented(plan: Plan, option: Option, offer: Offer, terms: Terms, voice: Voice) -> Iterator[tuple[str, str]]:
    tr, sites = voice.tr, _sites(option, offer)
    instances = sum(site.instances for site in sites)
    yield (
        tr("Accelerators"),
        voice.trn(
            "{what} in one instance of {devices}, such as {instance} or equal",
            "{what} in {count} instances of {devices}, such as {instance} or equal",
            instances,
            count=voice.number(instances),
            what=_what(option, voice, sum(site.count for site in sites)),
            devices=voice.number(offer.devices),
            instance=voice.name(offer.instance),
        ),
    )
    yield tr("Network"), _network(option, offer, voice)
    yield tr("Where"), _where(plan, sites, voice)
    yield tr("From"), _start(plan, terms, voice)
    yield tr("For"), _term(plan, option, offer, voice)
    yield tr("Terms"), _terms(offer, voice)
    if offer.region != OWN_SITE:  # servers at our own site use our own storage and connection
        yield from _stored_and_sent(option, len(sites), voice)
    yield tr("Payment"), tr("monthly in arrears, 30 days net; please also quote what payment in advance changes")


def _stored_and_sent(option: Option, sites: int, voice: Voice) -> Iterator[tuple[str, str]]:
    tr, held = voice.tr, {item.name: item.value for item in option.cost.model.inputs}
    if held.get("storage_gb"):
        size = voice.number(_two(held["storage_gb"]))
        each_site = tr("about {size} GB at each of the two sites", size=size)
        yield tr("Storage"), each_site if sites > 1 else tr("about {size} GB", size=size)
    out = held.get("egress_gb") or held.get("egress_gb_month")
    if out:
        each = tr("about {size} GB", size=voice.number(_two(out)))
        monthly = tr("about {size} GB in each month", size=voice.number(_two(out)))
        yield tr("Data transfer out"), each if "egress_gb" in held else monthly


def _start(plan: Plan, terms: Terms, voice: Voice) -> str:
    """The first day of the work; where answers come after it, the first day that can be had."""
    if plan.start > terms.reply_by:
        return voice.day(plan.start)
    return voice.tr("as soon as possible after {day}: please name the first day", day=voice.day(terms.reply_by))


def _two(value: float) -> float:
    """Two digits: a seller needs no more of what is estimated."""
    return float(f"{value:.2g}")


def _network(option: Option, offer: Offer, voice: Voice) -> str:
    """The fabric that a run or a replica over several instances needs; replicas in one instance each answer for themselves."""
    if option.joined <= offer.devices or not offer.scaleout_bandwidth:
        return voice.tr("none between instances is needed")
    rate = voice.number(round(offer.scaleout_bandwidth * _BITS / 1e9))
    return voice.tr(
        "all instances in one fabric without oversubscription, {rate} Gb/s for each instance and direction", rate=rate
    )


def _where(plan: Plan, sites: Sequence[Site], voice: Voice) -> str:
    if sites[0].offer.region == OWN_SITE:  # what is leased is brought to us: there is no other region to choose
        return voice.tr("delivered to our own site")
    places = [_place(site.offer, voice) for site in sites]
    place, limit = places[0], plan.spec.constraints.residency
    if len(places) > 1:
        place = voice.tr(
            "{count} in {place} and {other} in {second}, so that one stands where the other fails",
            count=_instances(sites[0].instances, voice),
            place=place,
            other=voice.number(sites[1].instances),
            second=places[1],
        )
        if limit == "any":
            return voice.tr("{places}; or two other regions of yours: please say which", places=place)
    elif limit == "any":
        return voice.tr("{place}, or another region of yours: please say which", place=place)
    inside = voice.tr(TERMS["word"][f"residency.{limit}"])
    return voice.tr("{place}; data must stay in {inside}", place=place, inside=inside)


def _place(offer: Offer, voice: Voice) -> str:
    """“europe-west1 (BEL)”."""
    return f"{voice.name(offer.region)} ({offer.country})" if offer.country else voice.name(offer.region)


def _instances(count: int, voice: Voice) -> str:
    return voice.trn("{count} instance", "{count} instances", count, count=voice.number(count))


def _term(plan: Plan, option: Option, offer: Offer, voice: Voice) -> str:
    """How long it is rented, rounded up, with room for the work to take longer."""
    if offer.term_months:
        return _months(offer.term_months, voice)
    if months := WORK[option.work].months(plan.spec, option):
        return _months(months, voice)
    least, most = math.ceil(option.days.expected), math.ceil(option.days.high)
    text = voice.trn("{count} day", "{count} days", least, count=voice.number(least))
    if most <= least:
        return text
    more = voice.number(most - least)
    return voice.tr("{days}, with an option on {more} more at the same price", days=text, more=more)


def _months(count: float, voice: Voice) -> str:
    return voice.trn("{count} month", "{count} months", count, count=voice.number(round(count, 1)))


def _terms(offer: Offer, voice: Voice) -> str:
    """Nobody quotes a spot price: what is asked for in its place is capacity that stays."""
    if offer.option == "spot":
        return voice.tr("reserved for that time, not interruptible; spot beside it, if you promise a price")
    if offer.option == "on_demand":
        return voice.tr("reserved for that time at a fixed price, on demand beside it")
    return voice.tr("{terms}, at a fixed price", terms=voice.tr(TERMS["terms"][offer.option]))


def _asked_rented(offer: Offer, voice: Voice) -> Iterator[str]:
    tr = voice.tr
    if offer.region == OWN_SITE:
        yield from _asked_leased(voice)
        return
    yield tr("Which price for one instance-hour, and what does it include: storage, data transfer, support, taxes?")
    yield tr("Is this capacity free from that day on? If not: from when, or how much of it?")
    yield tr("Which limits or quotas must be raised first, in which steps, and how long does that take?")
    yield tr("What is the least number and the shortest term, and what does leaving early or staying longer cost?")
    yield tr("How soon is a failed accelerator replaced, and what is credited until then?")
    if offer.option == "capacity_block":
        yield tr("On which days can the block begin, and for which lengths is it sold?")


def _asked_leased(voice: Voice) -> Iterator[str]:
    tr = voice.tr
    yield tr("Which price for one instance-hour, and what does it include: installation, freight, support, taxes?")
    yield tr(
        "Can they stand ready at our site on that day? If not: from when, and what do you pay for each week of delay?"
    )
    yield tr("How soon is a failed accelerator replaced, and what is credited until then?")
    yield tr(
        "At the end: what do staying longer, buying them and giving them back cost, and what does leaving early cost?"
    )


def _bought(plan: Plan, option: Option, terms: Terms, voice: Voice) -> Iterator[tuple[str, str]]:
    tr = voice.tr
    held = {item.name: item.value for item in option.cost.model.inputs}
    servers, devices = held["servers"], held["devices"]
    yield (
        tr("Servers"),
        tr(
            "{servers} × {system} or equal, each with {each} × {accelerator}",
            servers=voice.number(servers),
            system=voice.name(option.system_name),
            each=voice.number(devices / servers),
            accelerator=voice.name(option.accelerator_name),
        ),
    )
    yield tr("Power"), tr("at most {kw} kW for each server", kw=voice.number(held["server_kw"]))
    yield tr("Network"), tr("all network cards for one fabric at their full rate, with cables and optics as an option")
    yield tr("Delivery to"), voice.name(terms.place) if terms.place else tr("to be agreed; please quote by country")
    yield tr("In operation by"), _start(plan, terms, voice)
    yield (
        tr("Acceptance"),
        tr(
            "installed by you; 72 hours under full load without a failed accelerator, memory error or link below its rate; "
            "what fails is replaced and the test begins again"
        ),
    )
    yield (
        tr("Support"),
        tr("spare parts and repair on site, next working day, for three years and for five as an option"),
    )
    yield tr("Payment"), tr("30 days after acceptance; please also quote what payment on order changes")


def _asked_bought(voice: Voice) -> Iterator[str]:
    tr = voice.tr
    yield tr(
        "Which price for one server, and what does it include: installation, network cards, freight, duties, taxes?"
    )
    yield tr("When can they be delivered, and what do you pay for each week of delay?")
    yield tr("Which support at which price, and how soon is a failed part replaced?")
    yield tr("Which power, cooling and floor load does the site need?")
    yield tr("What do you take back, and at which price, after three and after five years?")


def _blanks(offer: Offer | None, voice: Voice) -> tuple[str, ...]:
    tr = voice.tr
    price = tr("Price for one instance-hour, and currency") if offer else tr("Price for one server, and currency")
    return price, tr("Valid until"), tr("Available or delivered on"), tr("Conditions"), tr("Your reference")


def _closing(terms: Terms, voice: Voice) -> Iterator[str]:
    yield voice.tr(
        "This is a request for a price and no order. Please name the reference {reference} in your answer.",
        reference=terms.reference,
    )
    if terms.contact:
        yield voice.name(terms.contact)
