#!/bin/sh
# Resolves pyproject.toml into the three hashed files beside this script. Needs uv; installing needs only pip.
# The files hold no index address: each machine installs from the index it is set up for.
set -eu
cd "$(dirname "$0")/.."
lock() {
    out="requirements/$1.txt"
    shift
    uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header --no-annotate "$@" --output-file "$out"
    { echo "# Written by requirements/lock.sh from pyproject.toml; do not edit."; cat "$out"; } > "$out.new"
    mv "$out.new" "$out"
}
lock base "$@"
lock prod --extra prod --extra sso --extra cjk --extra s3 --extra parquet --extra otel --constraints requirements/base.txt "$@"
lock dev --extra dev --constraints requirements/base.txt "$@"
