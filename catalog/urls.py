"""Addresses of the room catalog."""

from __future__ import annotations

from django.urls import path, re_path

from catalog import import_views, own, own_views, tables, views

app_name = "catalog"
urlpatterns = [
    path("", views.browse, name="browse"),
    path("compare/", views.compare, name="compare"),
    path("accelerators/<slug:slug>/", views.accelerator, name="accelerator"),
    path("prices/", views.prices, name="prices"),
    path("prices/history/", views.history, name="history"),
    path("sources/", views.sources, name="sources"),
    path("sources/feeds/", views.feeds_now, name="feeds"),
    re_path(rf"^things/(?P<kind>{'|'.join(tables.THINGS)})/$", views.things, name="things"),
    path("own/", own_views.entries, name="own"),
    re_path(rf"^own/(?P<kind>{'|'.join(own.OWN_KINDS)})/$", own_views.edit, name="own_edit"),
    path("own/entries/<str:public_id>/", own_views.entry, name="own_entry"),
    re_path(rf"^own/entries/(?P<public_id>\w+)/(?P<step>{'|'.join(own_views.STEPS)})$", own_views.act, name="own_step"),
    path("upload/", import_views.upload, name="upload"),
    path("upload/prices.csv", import_views.template, name="template"),
    path("imports/<str:public_id>/", import_views.review, name="review"),
    re_path(
        rf"^imports/(?P<public_id>\w+)/(?P<step>{'|'.join(import_views.STEPS)})$", import_views.act, name="import_step"
    ),
]
