"""What a plan pays and books, as rows of FOCUS 1.2: planned charges, not billed ones (`x_Planned`).

Use that is billed as it happens is one row a month. What is paid as a whole (a block of capacity, a month of a commitment,
servers) is a row “Purchase” that is billed whole with an effective cost of 0; what it is used for has rows of its own that are
billed 0, and whose effective cost is what this work carries, what other work uses, and what nobody uses (“Unused” of a
commitment). Tax is a row “Tax” beside each of these, without quantity, price and SKU. Use that draws a commitment with a total
(EDP, MACC) is billed as it happens, and says which contract it draws by how much, as the dataset of contract commitments of FOCUS
1.3 does; use that a savings plan covers is a purchase and a row of kind “Spend”. What nobody draws is a row of its own. Billed and
effective costs both add up to what is paid: the cash of the plan before the shortfall that it saves, and what lapses unused. Nothing
is imputed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from engine.answer import SAVED, TAXES, Option
from engine.inputs.currency import DIGITS
from engine.inputs.finding import Ref
from engine.inputs.hardware import Offer
from engine.money.cash import add_months
from engine.money.contracts import binds
from engine.money.entries import Carried, Contract, Entry
from engine.money.second_site import SECOND
from engine.money.signed import share_lines
from engine.money.taxes import TAX_INSTANCES, TAX_RENTAL
from planner.budgets.focus_bands import HIGH, LOW, banded
from planner.budgets.focus_drawn import DrawnRows
from planner.budgets.focus_services import OTHER, OWN_STORAGE, SERVICES, Service
from planner.frozen.snapshot import Plan
from planner.money import accounts
from planner.telling import named, sourced, told

COLUMNS = (
    "BillingAccountId", "BillingAccountName", "BillingAccountType", "SubAccountId", "SubAccountName", "BillingCurrency",
    "BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd", "ChargeCategory", "ChargeClass",
    "ChargeFrequency", "ChargeDescription", "ListUnitPrice", "ListCost", "ContractedUnitPrice", "ContractedCost",
    "EffectiveCost", "BilledCost", "PricingCategory", "PricingQuantity", "PricingUnit", "ConsumedQuantity", "ConsumedUnit",
    "ProviderName", "PublisherName", "InvoiceIssuerName", "RegionId", "RegionName", "AvailabilityZone", "ServiceCategory",
    "ServiceSubcategory", "ServiceName", "SkuId", "SkuPriceId", "CommitmentDiscountId", "CommitmentDiscountName",
    "CommitmentDiscountCategory", "CommitmentDiscountType", "CommitmentDiscountStatus", "CommitmentDiscountQuantity",
    "CommitmentDiscountUnit", "Tags", "x_Planned", "x_PlanId", "x_PlanVersion", "x_Scenario", "x_State", "x_ContentHash",
    "x_CostCentre", "x_Line", "x_Contract", "x_CarriedBy", "x_AllocatedCost", "x_SignedKind", "x_SignedTotal",
    "x_PriceSourceUrl", "x_PriceAsOf", "x_ActualCost", LOW, HIGH, "x_ContractCommitmentId", "x_ContractCommitmentDrawnCost",
)  # fmt: skip
VERSION = "1.2"
"""FinOps Open Cost and Usage Specification (FinOps Foundation, May 2025): its column names, allowed values and rules for empty
cells; columns that only a bill can fill are left out, ours begin with `x_`."""
Row = dict[str, str]
THIS, OTHERS, NOBODY = "this_work", "other_work", "nobody"
"""Who carries the effective cost of a row."""
_INSTANCES = ("compute", SECOND, "spares")
_BACK = "residual_value"
_SUPPLIER, _OWN, _LESSOR = "hardware supplier", "on-premises", "rental provider"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Which stored plan rows are of; nothing of it where the plan was not stored."""

    plan_id: str = ""
    version: str = ""
    state: str = "estimate"
    team: str = ""


def focus_rows(plan: Plan, origin: Origin) -> list[Row]:
    """The rows of what is recommended, by month; none when nothing is feasible."""
    found, best = accounts(plan), plan.recommendation.recommended
    if found is None or best is None:
        return []
    account = plan.spec.cost_centre or origin.team or "planned"
    sheet = _Sheet(plan=plan, best=best, account=account, common=_common(plan, best, origin))
    cash = [entry for entry in found.ledger.entries if entry.view == "cash" and entry.line != SAVED]
    pool = DrawnRows.of(found, best, cash)
    rows = [row for entry in cash for row in _paid(sheet, entry, pool)]
    for part in found.ledger.carried:
        if binds(part.contract) and part.line != _BACK:
            rows += sheet.used(part)
        if part.contract == "spend":
            rows.append(sheet.lapsed(part, pool))
    return banded(sorted(rows, key=lambda row: row["ChargePeriodStart"]), plan)


def _paid(sheet: _Sheet, entry: Entry, pool: DrawnRows | None) -> Iterator[Row]:
    """The row of a payment; of what a savings plan covers a purchase and its use apart from the rest."""
    drawn = pool.of_entry(entry) if pool else 0
    if pool is None or not drawn:
        yield sheet.paid(entry)
    elif pool.hourly:
        yield from sheet.covered(replace(entry, units=drawn), pool)
        if entry.units > drawn:
            yield sheet.paid(replace(entry, units=entry.units - drawn))
    else:
        named = {"x_ContractCommitmentId": pool.ident, "x_ContractCommitmentDrawnCost": sheet.text(drawn)}
        yield sheet.paid(entry) | named


def _common(plan: Plan, best: Option, origin: Origin) -> Row:
    """What every row of a plan says alike."""
    tags = {"team": origin.team, "project": plan.name, "plan": origin.plan_id} | plan.spec.tags
    return {
        "BillingAccountType": "Planned",
        "SubAccountId": plan.spec.cost_centre,
        "SubAccountName": plan.spec.cost_centre,
        "BillingCurrency": best.cost.total.currency,
        "Tags": json.dumps({key: value for key, value in tags.items() if value}, ensure_ascii=False, sort_keys=True),
        "x_Planned": "true",
        "x_PlanId": origin.plan_id,
        "x_PlanVersion": origin.version,
        "x_Scenario": "recommended",
        "x_State": origin.state,
        "x_ContentHash": plan.sha256,
        "x_CostCentre": plan.spec.cost_centre,
    }


@dataclass(frozen=True, kw_only=True)
class _Sheet:
    """One plan and what its rows say alike."""

    plan: Plan
    best: Option
    account: str
    common: Row

    @cached_property
    def labels(self) -> dict[str, str]:
        """What each line of the cost model is for."""
        return {line.name: told(line.label) for line in self.best.cost.model.lines}

    @cached_property
    def inputs(self) -> dict[str, float]:
        """The inputs of the cost model, prices among them in US dollars."""
        return {item.name: item.value for item in self.best.cost.model.inputs}

    @property
    def _leased(self) -> bool:
        return self.best.offer is not None and self.best.offer.option == "lease"

    def paid(self, entry: Entry) -> Row:
        """What is billed: as use, as a purchase of use to come, or, where money comes back, as an adjustment."""
        row = self._row(entry.line, entry.contract, entry.month)
        billed = self.text(entry.units)
        if entry.line == _BACK:
            costs = dict.fromkeys(("ListCost", "ContractedCost", "EffectiveCost", "BilledCost"), billed)
            return row | costs | {"ChargeCategory": "Adjustment", "ChargeFrequency": "One-Time"}
        if entry.line in TAXES:
            later = binds(entry.contract)
            carried = {} if later else {"x_CarriedBy": THIS, "x_AllocatedCost": billed}
            return row | self._taxed(entry.line, billed, later=later) | {"BilledCost": billed, **carried}
        if not binds(entry.contract):
            return row | self._use(entry.line, entry.contract, entry.units) | {
                "BilledCost": billed, "x_CarriedBy": THIS, "x_AllocatedCost": billed,
            }  # fmt: skip
        often = "Recurring" if entry.contract in ("commitment", "lease") else "One-Time"
        return row | self._bought(entry) | {
            "ChargeCategory": "Purchase", "ChargeFrequency": often, "PricingCategory": "Standard",
            "BilledCost": billed, "EffectiveCost": self.text(0),
        }  # fmt: skip

    def used(self, part: Carried) -> Iterator[Row]:
        """What is used in that month of what was paid as a whole, by who carries it."""
        for units, carrier in ((part.mine, THIS), (part.others, OTHERS), (part.idle, NOBODY)):
            if not units:
                continue
            row, taxed = self._row(part.line, part.contract, part.month), part.line in TAXES
            row |= self._taxed(part.line, self.text(units)) if taxed else self._use(part.line, part.contract, units)
            row |= {"BilledCost": self.text(0), "x_CarriedBy": carrier}
            row |= {"x_AllocatedCost": self.text(units)} if carrier == THIS else {}
            yield row | (self._commitment(row, carrier) if part.contract == "commitment" and not taxed else {})

    def covered(self, entry: Entry, pool: DrawnRows) -> Iterator[Row]:
        """What a savings plan pays: bought in that month, and used in it at an effective cost."""
        row, amount = self._row(entry.line, entry.contract, entry.month), self.text(entry.units)
        use = self._use(entry.line, entry.contract, entry.units)
        if (
            self.best.offer and float(use["PricingQuantity"]) != 1.0
        ):  # contracted is before the discount of a commitment
            each = round(self.best.offer.before_commitment(float(use["ContractedUnitPrice"])), 6)
            use |= {
                "ContractedUnitPrice": f"{each:.6f}", "ContractedCost": self._times(use["PricingQuantity"], each),
            }  # fmt: skip
        bought = {key: use[key] for key in ("PricingQuantity", "PricingUnit", "ListUnitPrice", "ContractedUnitPrice")}
        bought |= {"ListCost": use["ListCost"], "ContractedCost": use["ContractedCost"], "PricingCategory": "Standard"}
        yield row | bought | {
            "ChargeCategory": "Purchase", "ChargeFrequency": "Recurring", "BilledCost": amount, "EffectiveCost": self.text(0),
            "x_ContractCommitmentId": pool.ident, "x_ContractCommitmentDrawnCost": amount,
        }  # fmt: skip
        yield row | use | {
            "PricingCategory": "Committed", "BilledCost": self.text(0), "x_CarriedBy": THIS, "x_AllocatedCost": amount,
            "CommitmentDiscountId": pool.ident, "CommitmentDiscountName": pool.name,
            "CommitmentDiscountCategory": "Spend", "CommitmentDiscountType": "Savings plan",
            "CommitmentDiscountStatus": "Used", "CommitmentDiscountQuantity": amount,
            "CommitmentDiscountUnit": self.best.cost.total.currency,
        }  # fmt: skip

    def lapsed(self, part: Carried, pool: DrawnRows | None) -> Row:
        """What of a commitment nobody draws, when it lapses."""
        amount = self.text(part.idle)
        costs = dict.fromkeys(("ListCost", "ContractedCost", "EffectiveCost", "BilledCost"), amount)
        return self._row(part.line, part.contract, part.month) | costs | {
            "ChargeCategory": "Adjustment", "ChargeFrequency": "One-Time", "x_CarriedBy": NOBODY,
            "x_ContractCommitmentId": pool.ident if pool else "",
        }  # fmt: skip

    def _row(self, line: str, contract: Contract, month: str) -> Row:
        """Where, when and what for; no money yet."""
        service, provider = _service(line, contract), self._provider(line, contract)
        first = date.fromisoformat(f"{month}-01")
        starts, ends = (f"{day.isoformat()}T00:00:00Z" for day in (first, add_months(first, 1)))
        offer = self._offer(line) if provider not in (_SUPPLIER, _OWN, _LESSOR) else None
        return self.common | {
            "BillingAccountId": f"{provider}/{self.account}",
            "BillingAccountName": self.account,
            "BillingPeriodStart": starts, "ChargePeriodStart": starts,
            "BillingPeriodEnd": ends, "ChargePeriodEnd": ends,
            "ChargeDescription": self.labels[line],
            **dict.fromkeys(("ProviderName", "PublisherName", "InvoiceIssuerName"), provider),
            "RegionId": offer.region if offer else "", "RegionName": named(Ref("region", offer.region)) if offer else "",
            "ServiceCategory": service.category, "ServiceSubcategory": service.subcategory, "ServiceName": service.name,
            **self._sku(line, provider),
            "x_Line": line, "x_Contract": contract,
            "x_PriceSourceUrl": sourced(offer.source) if offer else "", "x_PriceAsOf": offer.price_date if offer else "",
            **self._signed(line),
        }  # fmt: skip

    def _offer(self, line: str) -> Offer | None:
        """What is rented for that line: of the second site of a service its own."""
        standing = self.best.standing
        return standing.second if standing and line == SECOND else self.best.offer

    def _sku(self, line: str, provider: str) -> Row:
        """What is priced: the instance, the server, or the line by the name of who sells it."""
        offer = self._offer(line)
        if offer and line in _INSTANCES:
            return {"SkuId": offer.instance, "SkuPriceId": offer.id}
        name = self.best.on_prem if provider == _SUPPLIER else f"{provider}/{line}"
        return {"SkuId": name, "SkuPriceId": name}

    def _signed(self, line: str) -> Row:
        """All that is signed, on the rows that are a part of it."""
        signed = self.best.cost.signed
        if line not in share_lines(signed):
            return {}
        total = f"{signed.total:.{DIGITS[self.best.cost.total.currency]}f}"
        return {"x_SignedKind": signed.what, "x_SignedTotal": total}

    def _provider(self, line: str, contract: Contract) -> str:
        if contract == "purchase":
            return _SUPPLIER
        if contract == "operation" or (line != "bridge" and contract == "services" and self._leased):
            return _OWN
        offer = self._offer(line)
        if offer is None:
            return _LESSOR if line in ("bridge", TAX_RENTAL) else _OWN
        return offer.provider

    def _use(self, line: str, contract: Contract, units: int) -> Row:
        """One month of use: quantity and unit prices, and the costs that follow from them."""
        effective = self.text(units)
        service = _service(line, contract)
        price = self._price(line, service, contract)
        offer = self._offer(line) if line in _INSTANCES else None
        listed = contracted = price
        if offer and price:
            listed = round(offer.listed_usd_per_hour * self.best.cost.model.per_usd, 6) or price
            contracted = listed if contract == "commitment" else price
        quantity = f"{float(effective) / price:.10f}" if price else "1"
        unit = service.unit if price else "Months"
        return {
            "ChargeCategory": "Usage",
            "ChargeFrequency": "Usage-Based",
            "PricingCategory": _pricing(contract),
            "PricingQuantity": quantity, "PricingUnit": unit, "ConsumedQuantity": quantity, "ConsumedUnit": unit,
            "ListUnitPrice": f"{listed:.6f}" if price else effective,
            "ContractedUnitPrice": f"{contracted:.6f}" if price else effective,
            "ListCost": self._times(quantity, listed) if price else effective,
            "ContractedCost": self._times(quantity, contracted) if price else effective,
            "EffectiveCost": effective,
        }  # fmt: skip

    def _taxed(self, line: str, amount: str, *, later: bool = False) -> Row:
        """Tax that does not come back, on what is used, or on what is paid for later use (`later`)."""
        offer = self.best.offer if line == TAX_INSTANCES else None
        listed = offer.listed_usd_per_hour / offer.usd_per_hour if offer and offer.listed_usd_per_hour else 1.0
        return {
            "ChargeCategory": "Tax",
            "ChargeFrequency": "One-Time" if later else "Recurring",
            "SkuId": "", "SkuPriceId": "",
            "ListCost": self._times(amount, listed), "ContractedCost": amount,
            "EffectiveCost": self.text(0) if later else amount,
        }  # fmt: skip

    def _bought(self, entry: Entry) -> Row:
        """Quantity and price of what is paid as a whole: hours of instances, or servers."""
        whole, service = float(self.text(entry.units)), _service(entry.line, entry.contract)
        if entry.contract == "purchase":
            count = self.inputs["servers"]
            quantity, price = f"{count:.0f}", f"{whole / count:.10f}"
        else:
            each = self._price(entry.line, service, entry.contract)
            quantity, price = (f"{whole / each:.10f}", f"{each:.6f}") if each else ("1", self.text(entry.units))
        billed = self.text(entry.units)
        return {
            "PricingQuantity": quantity, "PricingUnit": service.unit, "ListUnitPrice": price,
            "ContractedUnitPrice": price, "ListCost": billed, "ContractedCost": billed,
        }  # fmt: skip

    def _commitment(self, row: Row, carrier: str) -> Row:
        """The commitment that covers a row; hours that nobody uses are consumed by nobody."""
        offer = self._offer(row["x_Line"])
        assert offer is not None
        unused = carrier == NOBODY
        return {
            "CommitmentDiscountId": offer.id,
            "CommitmentDiscountName": f"{offer.instance}, {offer.term_months} months",
            "CommitmentDiscountCategory": "Usage",
            "CommitmentDiscountType": f"{offer.term_months} months",
            "CommitmentDiscountStatus": "Unused" if unused else "Used",
            "CommitmentDiscountQuantity": row["PricingQuantity"],
            "CommitmentDiscountUnit": row["PricingUnit"],
            **({"ConsumedQuantity": "", "ConsumedUnit": ""} if unused else {}),
        }

    def _price(self, line: str, service: Service, contract: Contract) -> float:
        """The price of a unit in the currency of the plan as it is printed; 0 where the line has none of its own."""
        if contract == "purchase":
            return 0.0
        offer = self._offer(line) if line in _INSTANCES else None
        usd = offer.usd_per_hour if offer else self.inputs.get(service.price, 0.0)
        return round(usd * self.best.cost.model.per_usd, 6)

    def _times(self, quantity: str, price: float) -> str:
        return f"{float(quantity) * price:.{DIGITS[self.best.cost.total.currency]}f}"

    def text(self, units: int) -> str:
        digits = DIGITS[self.best.cost.total.currency]
        return f"{units / 10**digits:.{digits}f}"


def _service(line: str, contract: Contract) -> Service:
    if contract == "operation" and line == "storage":
        return OWN_STORAGE
    return SERVICES.get(line, OTHER)


def _pricing(contract: Contract) -> str:
    """Spot moves as its seller likes; a commitment prices what it covers; all else is agreed."""
    return {"spot": "Dynamic", "commitment": "Committed"}.get(contract, "Standard")
