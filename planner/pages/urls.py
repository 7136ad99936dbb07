"""Addresses of the room planner."""

from __future__ import annotations

from django.urls import path

from planner.pages.accuracy import views as accuracy_views
from planner.pages.explore import backwards_views, scenario_views, series_views, what_if_views
from planner.pages.form import keeping_views, views
from planner.pages.home import tour
from planner.pages.home import views as shelf_views
from planner.pages.plan import lever_views, quotation_views, reprice_views, review_views
from planner.pages.plan import views as plan_views
from planner.pages.portfolio import views as portfolio_views

app_name = "planner"
urlpatterns = [
    path("", shelf_views.home, name="home"),
    path("tour", tour.page, name="tour"),
    path("new/<slug:kind>", views.new, name="new"),
    path("backwards", backwards_views.ask, name="backwards"),
    path("backwards/<str:public_id>", backwards_views.answer, name="backwards-answer"),
    path("backwards/<str:public_id>/take", backwards_views.take, name="backwards-take"),
    path("portfolio", portfolio_views.page, name="portfolio"),
    path("portfolio.csv", portfolio_views.table, name="portfolio-table"),
    path("portfolio/budget", portfolio_views.budget, name="portfolio-budget"),
    path("portfolio/charts/<slug:chart>.<slug:format_>", portfolio_views.chart, name="portfolio-chart"),
    path("accuracy", accuracy_views.page, name="accuracy"),
    path("accuracy/charts/<slug:chart>.<slug:format_>", accuracy_views.chart, name="accuracy-chart"),
    path("keep/<str:form>", keeping_views.keep, name="keep"),
    path("keep/<str:form>/drop", keeping_views.drop, name="keep-drop"),
    path("estimate/<slug:kind>", views.estimate, name="estimate"),
    path("workloads/<str:public_id>", views.answer, name="answer"),
    path("workloads/<str:public_id>/what-if", what_if_views.of_answer, name="answer-what-if"),
    path("plans/<str:public_id>/what-if", what_if_views.of_plan, name="plan-what-if"),
    path("plans/<str:public_id>/prices/charts/<slug:chart>.<slug:format_>", reprice_views.chart, name="reprice-chart"),
    path(
        "plans/<str:public_id>/scenarios/new/charts/<slug:chart>.<slug:format_>",
        scenario_views.new_chart,
        name="scenario-new-chart",
    ),
    path("plans/<str:public_id>/prices", reprice_views.page, name="reprice"),
    path("plans/<str:public_id>/scenarios", scenario_views.index, name="scenarios"),
    path("plans/<str:public_id>/scenarios/new", scenario_views.new, name="scenario-new"),
    path(
        "plans/<str:public_id>/scenarios/charts/<slug:chart>.<slug:format_>",
        scenario_views.chart,
        name="scenario-chart",
    ),
    path("plans/<str:public_id>/series/new", series_views.new, name="series-new"),
    path("portfolio/reprice", series_views.reprice, name="portfolio-reprice"),
    path("series/<str:public_id>.csv", series_views.table, name="series-table"),
    path("series/<str:public_id>", series_views.page, name="series"),
    path("series/<str:public_id>/<slug:verb>", series_views.step, name="series-step"),
    path("scenarios/<str:public_id>/<slug:verb>", scenario_views.step, name="scenario-step"),
    path(
        "workloads/<str:public_id>/what-if/charts/<slug:chart>.<slug:format_>",
        what_if_views.answer_chart,
        name="answer-what-if-chart",
    ),
    path(
        "plans/<str:public_id>/what-if/charts/<slug:chart>.<slug:format_>",
        what_if_views.plan_chart,
        name="plan-what-if-chart",
    ),
    path("workloads/<str:public_id>/edit", views.edit, name="edit"),
    path("workloads/<str:public_id>/duplicate", views.duplicate, name="duplicate"),
    path("workloads/<str:public_id>/levers", lever_views.of_workload, name="levers"),
    path("workloads/<str:public_id>/freeze", views.freeze, name="freeze"),
    path("workloads/<str:public_id>/charts/<slug:chart>.<slug:format_>", views.answer_chart, name="answer-chart"),
    path("workloads/<str:public_id>/<slug:verb>", shelf_views.step, name="workload-step"),
    path("plans/<str:public_id>/charts/<slug:chart>.<slug:format_>", plan_views.chart, name="plan-chart"),
    path("plans/<str:public_id>/quotations", quotation_views.page, name="quotations"),
    path("quotations/<str:public_id>/quotes", quotation_views.answer, name="quotation-answer"),
    path("plans/<str:public_id>/comments", review_views.comment, name="comment"),
    path("comments/<str:public_id>/resolve", review_views.resolve, name="comment-resolve"),
    path("plans/<str:public_id>/share", review_views.share, name="share"),
    path("share-links/<str:public_id>/revoke", review_views.unshare, name="unshare"),
    path("shared/<str:secret>", review_views.shared, name="shared"),
    path("plans/<str:public_id>", plan_views.plan, name="plan"),
    path("plans/<str:public_id>/<slug:verb>", plan_views.step, name="step"),
]
