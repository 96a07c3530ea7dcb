#!/usr/bin/env bash
# Has the providers' own packages read the golden exports: run.sh [FOLDER…]
# Each folder holds golden files; without one, those of tool-core. The packages come from PyPI into a virtual
# environment below target/.
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
venv=${CARGO_TARGET_DIR:-$root/target}/clients/exports

if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import google.genai, openai' 2>/dev/null; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement "$root/tests/clients/exports/requirements.txt"
fi
[ $# -gt 0 ] || set -- "$root/tool-core/tests/golden"
exec "$venv/bin/python" "$root/tests/clients/exports/check.py" "$@"
