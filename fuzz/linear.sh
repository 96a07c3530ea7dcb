#!/usr/bin/env bash
# Instructions and memory of each kind of input at n, 2n and 4n parts: what is linear at most doubles each time.
# Says which is not, and then fails. Needs valgrind. Usage: linear.sh [n for arguments] [n for schemas] [only this kind]
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}
arguments=${1:-2000}
schemas=${2:-500}
only=${3:-}
# A little more than double: a logarithm is welcome, and vectors grow in steps.
most=2.5
cargo build --release --quiet --example linear
program=$target/release/examples/linear
kinds() { sed -n "/^fn $1(/,/^}/p" examples/linear.rs | grep -oE '^        "[a-z-]+" =>' | grep -oE '[a-z-]+'; }

measure() { # way kind n: instructions, bytes, and what was said
    local instructions memory
    memory=$("$program" "$@")
    instructions=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$program" "$@" 2>&1 >/dev/null |
        sed -n 's/.*I *refs: *//p' | tr -d ,)
    echo "$instructions $memory"
}

failed=0
run() { # way kind n
    local way=$1 kind=$2 n=$3 base once twice four
    [ -z "$only" ] || [ "$only" = "$kind" ] || return 0
    base=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$program" "$way" "$kind" 0 2>&1 >/dev/null |
        sed -n 's/.*I *refs: *//p' | tr -d ,)
    once=$(measure "$way" "$kind" "$n")
    twice=$(measure "$way" "$kind" "$((2 * n))")
    four=$(measure "$way" "$kind" "$((4 * n))")
    awk -v way="$way" -v kind="$kind" -v base="$base" -v most="$most" -v a="$once" -v b="$twice" -v c="$four" 'BEGIN {
        split(a, one, " "); split(b, two, " "); split(c, four, " ")
        work = (four[1] - base) / (two[1] - base); memory = (four[2] + 1) / (two[2] + 1)
        bad = (work > most || memory > most)
        said = c; sub(/^[0-9]+ [0-9]+ /, "", said)
        printf "%-9s %-27s %10.1f M  ×%.2f ×%.2f   %9.1f KB ×%.2f %s (%s)\n", way, kind, (four[1] - base) / 1e6,
            (two[1] - base) / (one[1] - base), work, four[2] / 1e3, memory, bad ? " SUPERLINEAR" : "", said
        exit bad
    }' || failed=$((failed + 1))
}

echo "way       kind                       instructions at 4n, growth to 2n and 4n; most memory at 4n, growth to 4n"
for kind in $(kinds arguments); do
    run arguments "$kind" "$arguments"
    run value "$kind" "$arguments"
done
for kind in $(kinds schema); do
    run export "$kind" "$schemas"
    run parser "$kind" "$schemas"
done
[ "$failed" = 0 ] || { echo "$failed superlinear" >&2; exit 1; }
