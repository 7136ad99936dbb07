"""Names of accelerators in price files and publications."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog.aliases import accelerator_slug, corrected_count
from catalog.facts import load


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("H100-SXM-80GB", "h100-sxm5"),
        ("A100-SXM-40GB (DGX A100)", "a100-sxm4-40"),
        ("V100-SXM3-32GB (DGX-2)", "v100-sxm2-32"),
        ("TPU-v7 (Ironwood)", "tpu7x"),
        ("GB200-NVL72-186GB", "gb200"),
        ("RTX6000-Ada", "rtx-6000-ada"),
        ("RTXPRO6000BSE", "rtx-pro-6000-blackwell"),
        ("h100-sxm5", "h100-sxm5"),
        ("Intel-Max-1550-128GB", "max-1550"),
        ("K80", None),
        ("", None),
    ],
)
def test_a_name_leads_to_our_slug_or_to_none(name: str, slug: str | None) -> None:
    assert accelerator_slug(name) == slug


def test_the_instance_decides_where_the_name_is_silent_or_too_wide() -> None:
    assert accelerator_slug("NVIDIA", provider="aws", instance="p5e.48xlarge") == "h200-sxm"
    assert accelerator_slug("H100", provider="azure", instance="Standard_NC80adis_H100_v5") == "h100-nvl"
    assert corrected_count("azure", "Standard_ND96isr_H100_v5") == 8
    assert corrected_count("azure", "Standard_NV6ads_A10_v5") == Decimal("0.167")
    assert corrected_count("aws", "m5.large") is None


def test_every_alias_leads_to_an_accelerator_that_exists() -> None:
    from catalog.aliases import _table

    slugs = {record.slug for record in load().of("accelerator")}
    rules, names = _table()
    assert {rule.slug for rule in rules} | set(names.values()) <= slugs
