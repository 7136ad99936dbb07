"""How prices of an accelerator moved: of each seller one list, as pictures, words and a table."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import Membership, Role, Team, User
from catalog import price_history
from catalog.facts import DATA, released
from catalog.history_charts import MOST_LINES, option_histories
from catalog.price_history import Followed, history, moves_of
from catalog.readings import Good, readings
from catalog.records import PriceRow
from catalog.tables import tiers


@pytest.fixture
def nothing_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the rows of the test are known."""
    monkeypatch.setattr(price_history, "_shipped", lambda _: {})


def _row(provider: str, amount: str, day: date, **more: Any) -> PriceRow:
    fields: dict[str, Any] = {
        "provider": provider,
        "instance": "eight",
        "region": "here",
        "zone": "",
        "accelerator": "h100-sxm5",
        "count": Decimal(8),
        "option": "on_demand",
        "amount": Decimal(amount),
        "currency": "USD",
        "date": day,
        "source": "shop",
    }
    return PriceRow(**(fields | more))


TIERS = {"one": "specialist", "two": "specialist", "many": "hyperscaler"}
DAY = date(2026, 1, 10)


def test_each_seller_has_one_line_of_one_good_and_says_how_it_moved(nothing_shipped: None) -> None:
    rows = [
        _row("one", "16", DAY),
        _row("one", "24", DAY + timedelta(days=120), instance="other name", region="there"),
        *(_row("many", str(32 + n), DAY + timedelta(days=30 * n), region="a") for n in range(9)),
        _row("many", "40", DAY, region="b"),
        _row("many", "80", DAY + timedelta(days=60), region="b"),
    ]
    many, one = history("h100-sxm5", rows, TIERS)["on_demand"]
    assert (many.what, many.days[0], len(many.series)) == ("eight, a", DAY, 9)
    assert (one.what, list(one.series.values())) == ("", [2.0, 3.0])
    newest = many.days[-1]
    assert many.change(newest) == pytest.approx(40 / 32 - 1)
    moves = moves_of([many, one])
    assert (moves.newest, moves.rose, moves.fell, moves.stayed) == (newest, 2, 0, 0)
    assert moves.middle == pytest.approx((0.25 + 0.5) / 2)


def test_a_seller_that_leaves_moves_nothing(nothing_shipped: None) -> None:
    """A middle over all sellers would fall by two thirds on the day on which the dear one is no longer read."""
    days = [DAY + timedelta(days=30 * n) for n in range(12)]
    rows = [*(_row("one", "16", day) for day in days), *(_row("many", "96", day) for day in days[:4])]
    moves = moves_of(history("h100-sxm5", rows, TIERS)["on_demand"])
    assert (moves.rose, moves.fell, moves.stayed, moves.middle) == (0, 0, 2, 0.0)


def test_readings_of_less_than_a_quarter_are_not_compared_and_old_ones_count_from_where_they_stood(
    nothing_shipped: None,
) -> None:
    near = [_row("one", "16", DAY), _row("one", "32", DAY + timedelta(days=89))]
    assert moves_of(history("h100-sxm5", near, TIERS)["on_demand"]).compared == 0
    far = [_row("one", "16", DAY - timedelta(days=900)), _row("one", "8", DAY)]
    (one,) = history("h100-sxm5", far, TIERS)["on_demand"]
    assert one.change(DAY) == -0.5
    assert one.change(DAY + timedelta(days=400)) is None


def test_shares_other_currencies_and_a_single_day_make_no_history(nothing_shipped: None) -> None:
    later = DAY + timedelta(days=100)
    assert history("h100-sxm5", [_row("one", "16", DAY)], TIERS) == {}
    other = [_row("one", "16", when, currency="EUR") for when in (DAY, later)]
    share = [_row("one", "1", when, count=Decimal("0.5")) for when in (DAY, later)]
    assert history("h100-sxm5", [*other, *share], TIERS) == {}


def test_prices_of_2026_rose_and_the_release_before_knows_nothing_of_it(settings: Any) -> None:
    def lists(slug: str, release: str) -> dict[str, list[Followed]]:
        settings.CATALOG_RELEASE = release
        catalog = released(release)
        return history(slug, catalog.prices, tiers(catalog))

    found = lists("h100-sxm5", "")
    assert set(found) == {"on_demand", "spot", "commit_1y", "commit_3y", "capacity_block"}
    moves = moves_of(found["on_demand"])
    assert moves.compared > 8
    assert moves.rose > 3 * moves.fell
    assert 0.1 < moves.middle < 0.6
    assert moves.newest == date(2026, 10, 10)
    assert [one.good.provider for one in found["on_demand"]][:3] == ["aws", "azure", "gcp"]
    assert all(one.days[-1] <= date(2026, 8, 22) for group in lists("h100-sxm5", "2026-08").values() for one in group)


def test_marketplaces_and_refused_readings_are_no_history() -> None:
    rows = list(readings(DATA))
    assert len(rows) > 12_000
    assert "vast" not in {row.provider for row in rows}
    assert not [row for row in rows if "COMMUNITY" in row.instance]


def _followed(provider: str, *prices: float) -> Followed:
    good = Good(provider=provider, accelerator="h100-sxm5", motion="list", rest=("on_demand", "USD", ""))
    return Followed(good=good, series={DAY + timedelta(days=100 * n): price for n, price in enumerate(prices)})


def test_a_chart_says_in_words_and_rows_what_it_shows() -> None:
    (one,) = option_histories({"on_demand": [_followed("aws", 2.0, 3.0), _followed("gcp", 4.0, 4.0, 3.0)]})
    assert one.words == (
        "On demand: in the year to 29 Jul 2026 1 of 2 lists rose, 1 fell, 0 stayed; the middle one moved by +12%"
    )
    assert [(row.seller, row.was, row.now, row.readings, row.change) for row in one.rows] == [
        ("AWS", "2.00", "3.00", 2, "+50%"),
        ("Google Cloud", "4.00", "3.00", 3, "\u221225%"),
    ]
    assert [name for _, name in one.legend] == ["AWS", "Google Cloud"]
    assert one.note == ""
    assert one.words in one.wide
    assert "<desc" in one.narrow
    (still,) = option_histories({"commit_1y": [_followed("aws", 2.0, 2.0)]})
    assert still.words == "1-year commitment: in the year to 20 Apr 2026 the one list that was followed did not move"
    (lone,) = option_histories({"spot": [_followed("aws", 2.0, 5.0)]})
    assert lone.words.endswith("the one list that was followed moved by +150%")


def test_a_picture_holds_as_many_lines_as_are_told_apart_and_the_table_all() -> None:
    (one,) = option_histories({"on_demand": [_followed(f"seller-{n}", 2.0, 3.0) for n in range(9)]})
    assert len(one.legend) == MOST_LINES
    assert len(one.rows) == 9
    assert one.note == "The picture shows the 5 lists that were followed longest, the table all 9."


def test_the_page_draws_every_option_for_wide_and_narrow_windows(db: None, settings: Any, client: Client) -> None:
    settings.CATALOG_RELEASE = ""
    call_command("load_catalog", stdout=StringIO())
    user = User.objects.create_user(email="reader@example.com", password="a long enough secret")
    team = Team.objects.create(name="Readers", slug="readers")
    Membership.objects.create(user=user, team=team, role=Role.VIEWER)
    client.force_login(user)
    page = client.get("/catalog/accelerators/h100-sxm5/").content.decode()
    figures = re.findall(r'<figure class="chart" id="c-history-([a-z0-9-]+)"', page)
    assert figures == ["on-demand", "spot", "commit-1y", "commit-3y", "capacity-block"]
    assert page.count("chart__svg--wide") == page.count("chart__svg--narrow") == len(figures)
    assert len(set(re.findall(r' id="([^"]+)"', page))) == len(re.findall(r' id="([^"]+)"', page))
    assert len(page) < 700_000
    assert "c-history-" not in client.get("/catalog/accelerators/mi210/").content.decode()
