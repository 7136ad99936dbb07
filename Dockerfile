# One image for web, workers, sweeper and the one-off preparation; docker-compose.yml says which runs what.
FROM python:3.11-slim-bookworm AS wheels
WORKDIR /app
COPY requirements/prod.txt requirements/
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: \
        --requirement requirements/prod.txt

FROM python:3.11-slim-bookworm
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 SEXTANT_ENV=production SEXTANT_VAR=/app/var
RUN groupadd --gid 10001 sextant && useradd --uid 10001 --gid sextant --no-create-home --shell /usr/sbin/nologin sextant
WORKDIR /app
COPY --from=wheels /venv /venv
COPY manage.py LICENSE NOTICE ./
COPY config config
COPY charts charts
COPY engine engine
COPY voice voice
COPY incoming incoming
COPY outgoing outgoing
COPY rest rest
COPY accounts accounts
COPY jobs jobs
COPY webhooks webhooks
COPY catalog catalog
COPY planner planner
COPY exports exports
COPY operations operations
COPY lab lab
COPY templates templates
COPY static static
COPY docs/api.md docs/budget-feed.md docs/assistants.md docs/
# Compiled here: at run time nothing writes bytecode, and each upload is read in a fresh process.
RUN python -m compileall -q .
RUN install --directory --owner sextant --group sextant --mode 0750 /app/var
USER sextant
VOLUME /app/var
EXPOSE 8000
STOPSIGNAL SIGTERM
CMD ["gunicorn", "--config", "python:config.gunicorn", "--bind", "0.0.0.0:8000"]
