"""Addresses of the room exports."""

from __future__ import annotations

from django.urls import path

from exports import branding_views, quotation_views, views, workbook_views

app_name = "exports"
urlpatterns = [
    path("branding", branding_views.page, name="branding"),
    path("branding/page-1.svg", branding_views.preview, name="branding_preview"),
    path("plans/<str:public_id>", views.page, name="page"),
    path("plans/<str:public_id>/cards", views.cards, name="cards"),
    path("plans/<str:public_id>/bundle", views.bundle, name="bundle"),
    path("plans/<str:public_id>/workbook", workbook_views.upload, name="workbook"),
    path("plans/<str:public_id>/workbook/accept", workbook_views.accept, name="accept_workbook"),
    path("plans/<str:public_id>/<slug:format_>", views.card, name="card"),
    path("plans/<str:public_id>/<slug:format_>/make", views.make, name="make"),
    path("quotations/<str:public_id>/<int:number>.<slug:format_>", quotation_views.letter, name="letter"),
    path("<str:public_id>/download", views.download, name="download"),
]
