-- The budget feed in a warehouse: one row for each plan, month (or day) and line, and views over it. Plain SQL.
-- `low` and `high` are a line's part of its plan's band (P10 and P90): they add up within a plan. Over several plans the sum of them is
-- the band where all plans err together; where each errs by itself, distances add up as squares. The truth lies between: budget_band has both.
CREATE TABLE IF NOT EXISTS budget_line (
    plan_id     VARCHAR(40) NOT NULL,
    version     INTEGER NOT NULL,
    plan        VARCHAR(200) NOT NULL,
    plan_sha256 CHAR(64) NOT NULL,
    approved_at VARCHAR(30) NOT NULL,
    period      VARCHAR(10) NOT NULL,
    line        VARCHAR(80) NOT NULL,
    label       VARCHAR(200) NOT NULL,
    kind        VARCHAR(8) NOT NULL,
    amount      NUMERIC(18, 3) NOT NULL,
    low         NUMERIC(18, 3) NOT NULL,
    high        NUMERIC(18, 3) NOT NULL,
    currency    CHAR(3) NOT NULL,
    signed      NUMERIC(18, 3),
    authorised  NUMERIC(18, 3) NOT NULL,
    cost_centre VARCHAR(80) NOT NULL,
    actual      NUMERIC(18, 3),
    tags        VARCHAR(4000) NOT NULL,
    PRIMARY KEY (plan_id, version, period, line)
);
CREATE TABLE IF NOT EXISTS budget_pull (updated_until VARCHAR(30) NOT NULL);
DROP VIEW IF EXISTS budget_by_month;
CREATE VIEW budget_by_month AS
SELECT substr(period, 1, 7) AS month, currency, sum(amount) AS amount
FROM budget_line
GROUP BY substr(period, 1, 7), currency;
DROP VIEW IF EXISTS budget_by_plan;
CREATE VIEW budget_by_plan AS
SELECT plan_id, plan, version, currency, sum(amount) AS amount, sum(low) AS low, sum(high) AS high,
       max(authorised) AS authorised, max(cost_centre) AS cost_centre, min(period) AS first_period, max(period) AS last_period
FROM budget_line
GROUP BY plan_id, plan, version, currency;
DROP VIEW IF EXISTS budget_band;
CREATE VIEW budget_band AS
SELECT month, currency, sum(amount) AS amount,
       sum(low) AS low_together, sum(high) AS high_together,
       sum(amount) - sqrt(sum((amount - low) * (amount - low))) AS low_apart,
       sum(amount) + sqrt(sum((high - amount) * (high - amount))) AS high_apart
FROM (SELECT plan_id, substr(period, 1, 7) AS month, currency, sum(amount) AS amount, sum(low) AS low, sum(high) AS high
      FROM budget_line
      GROUP BY plan_id, substr(period, 1, 7), currency) AS of_plan
GROUP BY month, currency;
