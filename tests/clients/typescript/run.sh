#!/usr/bin/env bash
# Runs the official TypeScript MCP clients against `retail serve`: run.sh RETAIL_BINARY TAU_RETAIL_DIR
# The clients come from npm into a folder below target/; Node itself from Debian, where it is missing.
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
folder=${CARGO_TARGET_DIR:-$root/target}/clients/typescript

if ! command -v npm >/dev/null; then
    { apt-get update --quiet=2 && apt-get install --quiet=2 --yes --no-install-recommends nodejs npm; } >&2
fi
mkdir -p "$folder"
cp "$root"/tests/clients/typescript/{package.json,package-lock.json,retail_client.mjs} "$folder"
npm ci --prefix "$folder" --silent --no-audit --no-fund >&2
exec node "$folder/retail_client.mjs" "$@"
