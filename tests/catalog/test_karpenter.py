"""karpenter price lists: accelerator machines only, dated by their own stamp."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.importers.karpenter import read_karpenter
from catalog.importers.outcome import ImportFault

AWS = "InstanceType,Region,OnDemandUSDPerHour,GeneratedAt"
AZURE = "ArmSkuName,Region,OnDemandUSDPerHour,GeneratedAt"
STAMP = "2026-07-20T13:44:30Z"


def _file(folder: Path, *lines: str) -> Path:
    path = folder / "on_demand.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_accelerator_machines_are_priced_and_the_rest_is_refused_with_a_reason(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        AWS,
        f"p5.48xlarge,us-east-1,55.040000,{STAMP}",
        f"p5.48xlarge,us-east-1,55.040000,{STAMP}",
        f"trn1.32xlarge,us-east-1,21.500000,{STAMP}",
        f"g4ad.xlarge,us-east-1,0.378530,{STAMP}",
        f"p4d.24xlarge,us-gov-west-1,26.99,{STAMP}",
        "p4d.24xlarge,us-east-1,21.96,some day",
    )
    outcome = read_karpenter(path, "aws")
    assert outcome.reconciles
    assert [(row.instance, row.accelerator, row.count, row.amount) for row in outcome.rows] == [
        ("p5.48xlarge", "h100-sxm5", 8, Decimal("55.040000")),
        ("trn1.32xlarge", "trainium1", 16, Decimal("21.500000")),
    ]
    assert {row.date for row in outcome.rows} == {date(2026, 7, 20)}
    assert outcome.duplicates == 1
    assert len(outcome.refused) == 3


def test_azure_names_with_trailing_blanks_promos_and_hosts_have_no_accelerator_of_ours(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        AZURE,
        f"Standard_NM16ads_MA35D  ,eastus,1.0,{STAMP}",
        f"NDamsrA100v4_Type1,eastus,1.0,{STAMP}",
        f"Standard_NC6_Promo,eastus,1.0,{STAMP}",
        f"Standard_ND96isr_H200_v5,eastus,84.8,{STAMP}",
    )
    outcome = read_karpenter(path, "azure")
    assert [row.accelerator for row in outcome.rows] == ["h200-sxm"]
    assert len(outcome.refused) == 3


def test_another_file_or_cloud_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFault, match="lacks the column InstanceType"):
        read_karpenter(_file(tmp_path, AZURE), "aws")
    with pytest.raises(ImportFault, match="not one of"):
        read_karpenter(_file(tmp_path, AWS), "oci")
