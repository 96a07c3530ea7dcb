#!/usr/bin/env bash
# Runs the official Python MCP client against `retail serve`: run.sh RETAIL_BINARY TAU_RETAIL_DIR
# The client comes from PyPI into a virtual environment below target/.
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
venv=${CARGO_TARGET_DIR:-$root/target}/clients/python

if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import mcp' 2>/dev/null; then
    rm -rf "$venv"
    python3 -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$root/tests/clients/python/requirements.txt"
exec "$venv/bin/python" "$root/tests/clients/python/retail_client.py" "$@"
