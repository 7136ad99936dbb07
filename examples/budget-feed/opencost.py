"""Prints Helm values with which OpenCost reckons a cluster at the price of an approved plan.

    pip install ./client
    SEXTANT_URL=https://sextant.example SEXTANT_TOKEN=sxt_… python examples/budget-feed/opencost.py pln_… > prices.yaml
    helm upgrade opencost opencost-charts/opencost --namespace opencost --reuse-values --values prices.yaml

OpenCost takes prices, no budgets: what a cluster really uses, at the hour's price that was approved, stands beside the lines of the
feed then. The hour of an accelerator holds the whole instance, so processors and memory are free.
"""

from __future__ import annotations

import os
import sys

from sextant_client import Sextant


def values_of(api: Sextant, plan_id: str) -> str:
    """The values for the version that is approved; ValueError where none is, or none is feasible."""
    plan = api.get_plan(plan_id)
    if plan["approved_version"] is None:
        raise ValueError("This plan is not approved.")
    best = api.get_version(plan_id, plan["approved_version"]["number"])["estimate"]["recommended"]
    if best is None:
        raise ValueError("This plan recommends nothing.")
    price = best["cost"]["price_per_accelerator_hour"]
    return (
        f"# {plan['name']}: {best['count']} × {best['accelerator_name']}, {price['currency']} for an hour of each\n"
        "opencost:\n  customPricing:\n    enabled: true\n    provider: custom\n    costModel:\n"
        f"      GPU: {price['amount']}\n      CPU: 0\n      spotCPU: 0\n      RAM: 0\n      spotRAM: 0\n"
    )


def main() -> int:
    """Prints them for the plan that the first argument names."""
    if len(sys.argv) != 2:
        sys.stderr.write("Name a plan: python opencost.py pln_…\n")
        return 2
    api = Sextant(os.environ.get("SEXTANT_URL", "http://localhost:8000"), os.environ["SEXTANT_TOKEN"])
    sys.stdout.write(values_of(api, sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
