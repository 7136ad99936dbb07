"""The REST API: every room's operations behind one door, under /api/v1/."""

from __future__ import annotations

from accounts.api import router as accounts_router
from catalog.api import router as catalog_router
from catalog.own_api import router as own_router
from catalog.price_list_api import router as price_list_router
from config.about import ABOUT
from config.links import LINKS
from exports.api import router as exports_router
from exports.quotation_api import router as letters_router
from exports.workbook_api import router as workbook_router
from planner.api import routers as planner_routers
from rest.door import Door
from webhooks.api import router as webhooks_router

api = Door(
    title="Sextant",
    version="1.0.0",
    urls_namespace="api",
    links=LINKS,
    about=ABOUT,
    description=(
        "Plans of AI infrastructure: what to run on, for how long, at which cost, with ranges and sources. "
        "Money is decimal text with a currency, moments are RFC 3339 in UTC, units are in the names of fields or in "
        "x-unit. Clients must ignore fields that they do not know."
    ),
)
for router in (
    *planner_routers,
    exports_router,
    workbook_router,
    letters_router,
    catalog_router,
    price_list_router,
    own_router,
    webhooks_router,
    accounts_router,
):
    api.add_router("", router)
