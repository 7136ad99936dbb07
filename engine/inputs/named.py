"""The things that findings speak of: accelerators, sellers, sources and what stands where, as references and findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.inputs.finding import Finding, Ref, finding
from engine.inputs.hardware import Device, Market, Offer


class Source(Protocol):
    """Where accelerators come from: an option, or what can supply one."""

    @property
    def offer(self) -> Offer | None: ...
    @property
    def kind(self) -> str: ...


class Sold(Protocol):
    """What is rented at one site."""

    @property
    def offer(self) -> Offer: ...


class Placed(Source, Protocol):
    """So many accelerators from one source, at one site or two."""

    @property
    def sites(self) -> Sequence[Sold]: ...

    @property
    def count(self) -> int: ...
    @property
    def accelerator(self) -> str: ...
    @property
    def accelerator_name(self) -> str: ...


def device_ref(device: Device) -> Ref:
    """That accelerator."""
    return Ref("accelerator", device.slug, device.name)


def seller_ref(offer: Offer) -> Ref:
    """Who rents it out, by the provider's own spelling where somebody gave it."""
    return Ref("provider", offer.provider, offer.seller)


def certificate_ref(market: Market, slug: str) -> Ref:
    """That certificate, by its own spelling."""
    return Ref("certificate", slug, market.certificates[slug].name if slug in market.certificates else slug)


def source_of(source: Source, second: Offer | None = None) -> Finding:
    """Where the accelerators come from: “AWS on demand”, “bought”, “owned”. `second`: what is rented at another site."""
    if source.offer is None:
        return finding("source.bought" if source.kind == "on_prem" else "source.owned")
    seller, terms = seller_ref(source.offer), Ref("terms", source.offer.option)
    if second is not None and second.provider != source.offer.provider:
        return finding("source.rented.two", provider=seller, second=seller_ref(second), terms=terms)
    return finding("source.rented", provider=seller, terms=terms)


def source_of_option(option: Placed) -> Finding:
    """The same of an option, whose two sites may have two sellers."""
    return source_of(option, option.sites[1].offer if len(option.sites) > 1 else None)


def apart_from(source: Placed, other: Placed) -> Finding:
    """The same, and what else of the offer differs where both are told the same."""
    said, here, there = source_of_option(source), source.offer, other.offer
    if here is None or there is None or said != source_of_option(other):
        return said
    if here.devices != there.devices:
        return finding("source.sized", source=said, devices=here.devices)
    if here.region != there.region:
        return finding("source.placed", source=said, region=Ref("region", here.region))
    return said


def hardware(count: int, device: Ref, source: Finding) -> Finding:
    """“64 × H100 (Nebius on demand)”; “2 × GB200 (one GPU of NVL72), OCI on demand”: no two pairs of brackets in a row."""
    code = "hardware.noted" if device.name.endswith(")") else "hardware"
    return finding(code, count=count, accelerator=device, source=source)


def hardware_of(option: Placed) -> Finding:
    """The same of an option."""
    return hardware(
        option.count, Ref("accelerator", option.accelerator, option.accelerator_name), source_of_option(option)
    )


def part(word: str) -> Finding:
    """What a piece of a whole is called where it stands alone: “Matrix products” of “time.gemm”."""
    return finding("part", what=Ref("word", word))


def cluster(count: int, device: Ref) -> Finding:
    """“64 × H100”."""
    return finding("cluster", count=count, accelerator=device)


def named(market: Market, keys: Sequence[str]) -> tuple[Ref, ...]:
    """Accelerators and providers by their keys; other keys as they are."""
    sellers = {offer.provider: offer for offer in market.offers}

    def ref(key: str) -> Ref:
        if key in market.devices:
            return device_ref(market.devices[key])
        if key in market.certificates:
            return certificate_ref(market, key)
        return seller_ref(sellers[key]) if key in sellers else Ref("word", key)

    return tuple(ref(key) for key in keys)
