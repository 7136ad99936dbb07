"""What each line of a cost model is called in FOCUS 1.2: category, subcategory and name of its service, and how it is priced."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Service:
    """Category, subcategory and name of a service; the unit it is priced in, and the input of the model that is its price."""

    category: str
    subcategory: str
    name: str
    unit: str = "Months"
    price: str = ""
    """Empty: priced as one month of it."""


_COMPUTE = ("Compute", "Virtual Machines", "Accelerated computing")
_SERVERS = ("Compute", "Other (Compute)", "Own servers")
_OWN = ("Other", "Other (Other)", "Operation of own hardware")
_BALANCING = ("Networking", "Load Balancing", "Load balancing and gateways")
_OBJECTS = ("Storage", "Object Storage", "Object and block storage")
SERVICES = {
    "compute": Service(*_COMPUTE, "Hours", "price_per_instance_hour"),
    "second_compute": Service(*_COMPUTE, "Hours", "second_price_per_instance_hour"),
    "spares": Service(*_COMPUTE, "Hours", "price_per_instance_hour"),
    "fallback": Service(*_COMPUTE),
    "managed": Service(*_COMPUTE),
    "full_price": Service(*_COMPUTE),
    "full_price_excess": Service(*_COMPUTE),
    "spend_unused": Service("Other", "Other (Other)", "Spend commitment"),
    "bridge": Service(*_COMPUTE, "Hours", "bridge_usd_per_hour"),
    "purchase": Service(*_SERVERS, "Servers"),
    "residual_value": Service(*_SERVERS, "Servers"),
    "disposal": Service(*_SERVERS, "Servers"),
    "storage": Service(*_OBJECTS, "GB-Months", "storage_usd_per_gb_month"),
    "dataset": Service(*_OBJECTS, "GB-Months", "dataset_usd_per_gb_month"),
    "fast_copy": Service(*_OBJECTS, "GB-Months", "copy_usd_per_gb_month"),
    "tokenising": Service("Compute", "Virtual Machines", "General-purpose computing", "Hours", "usd_per_cpu_hour"),
    "registry": Service(*_OBJECTS, "Months", "registry_usd_month"),
    "egress": Service("Networking", "Data Transfer", "Data transfer", "GB", "egress_usd_per_gb"),
    "cross_site": Service("Networking", "Data Transfer", "Data transfer", "GB", "cross_usd_per_gb"),
    "transit": Service("Networking", "Data Transfer", "Data transfer"),
    "balancer": Service(*_BALANCING, "Months", "balancer_usd_month"),
    "gateway": Service(*_BALANCING, "Months", "gateway_usd_month"),
    "monitoring": Service(
        "Management and Governance", "Observability", "Monitoring and logs", "Months", "monitoring_usd_month"
    ),
    "cover": Service("Other", "Other (Other)", "People on call", "Person-Years", "usd_per_fte"),
    "cover_managed": Service("Other", "Other (Other)", "Managed operation", "Months", "cover_managed_usd_month"),
    "energy": Service(*_OWN, "kWh", "usd_per_kwh"),
    "hosting": Service(*_OWN, "kW-Months", "hosting_usd_per_kw_month"),
    "staff": Service(*_OWN, "Person-Years", "usd_per_fte"),
    "maintenance": Service(*_OWN),
    "software": Service(*_OWN),
    "tax_purchase": Service(*_SERVERS),
    "tax_instances": Service(*_COMPUTE),
    "tax_rental": Service(*_COMPUTE),
    "tax_managed": Service(*_COMPUTE),
    "tax_services": Service("Other", "Other (Other)", "Other"),
    "tax_operation": Service(*_OWN),
}
"""Each line of a cost model that is paid."""
OTHER = Service("Other", "Other (Other)", "Other")
OWN_STORAGE = Service("Storage", "Other (Storage)", "Upkeep of own storage")
