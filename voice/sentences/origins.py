"""Whose a number of an answer is, where no publisher and nobody else is named for it."""

from collections.abc import Mapping

ORIGINS: Mapping[str, str] = {
    "origin.aged": "{paid}; {share}",
    "origin.agreed": "agreed by the team, set in this plan",
    "origin.agreed.instead": "agreed by the team, set in this plan; otherwise {listed}",
    "origin.asked.air_gapped": "request: air-gapped",
    "origin.asked.confidence": "request: confidence",
    "origin.asked.cover_managed": "operations.hours, covered by a managed service. {source}",
    "origin.asked.hours": "request: operations.hours",
    "origin.asked.managed": "operations.scheduler: {which}. {source}",
    "origin.catalog": "catalog",
    "origin.desk": "It stands on a desk (0 rack units in the catalog), in the network and on the line of the office",
    "origin.discounted": "{listed}; discount agreed by the team, set in this plan",
    "origin.engine": "engine",
    "origin.engine.poisson": "engine: Poisson, 99 % sure",
    "origin.in_service": "In service since {since}, {life} of life",
    "origin.local": "comes with the node",
    "origin.moved_to": "{listed}; moved to {day} by assumption “{which}”",
    "origin.no_resale": "No resale is credited without a horizon of demand",
    "origin.one_server": "One server needs no network among servers: its accelerators are joined inside it",
    "origin.place": "{place}, {day}: {source}",
    "origin.plan": "plan",
    "origin.plan.alone": "plan: the work uses it whenever it runs, and the request names nobody else who would",
    "origin.plan.load": "plan: accelerator-hours of the service over all hours of the servers that its peak needs",
    "origin.plan.nobody": "the request names nobody who would use the rest",
    "origin.request": "request",
    "origin.scheduler.azure-ml": "Azure ML compute clusters and instances cost what the same virtual machines do "
    "(infracost pull request 2902, read 2026-11-28)",
    "origin.scheduler.sagemaker": "SageMaker training instances, of which HyperPod is made, list 15–25 % over plain ones",
    "origin.scheduler.vertex": "Vertex AI training on 8 A100 in us-central1 at 35.26 USD an hour (cubeapm.com, read 2026-11-28) over "
    "29.39 of a2-highgpu-8g (2026-08-22); its management fee is a line of its own, "
    "which no commitment discounts (archera.ai, March 2026)",
    "origin.set": "set in this plan",
    "origin.sized.sample": "{units:# sample|# samples} × {each:# byte|# bytes} (assumption “{which}”)",
    "origin.sized.token": "{units:# token|# tokens} × {each:# byte|# bytes} (assumption “{which}”)",
    "origin.space_with_power": "{space:4} USD for space and {kwh} kWh at {power:4} USD. {source}",
    "origin.spot_beyond": "Assumption “{which}”, and all beyond {most:# accelerator|# accelerators}: {share}",
    "origin.spot_missing": "{instances:# instance|# instances}, {day}: {source}; one instance: {one}",
    "origin.assumed": "Assumption “{which}”: {source}",
    "origin.assumed.several": "{each:;}",
    "origin.usual_list": "AWS's list price, since none of this provider is known; the range is that of seven providers in the catalog",
}
"""The codes of `engine.inputs.origin`."""
