-- A dbt model over the table that pull.py or your own loader fills; save it as models/budget_by_month.sql.
{{ config(materialized='view') }}

select substr(period, 1, 7) as month, kind, currency, sum(amount) as amount, count(distinct plan_id) as plans
from {{ source('sextant', 'budget_line') }}
group by 1, 2, 3
