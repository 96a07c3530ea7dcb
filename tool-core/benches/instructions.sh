#!/usr/bin/env bash
# Instructions a call, counted by callgrind: they repeat, where times drift. Needs valgrind.
#
#   tool-core/benches/instructions.sh              all of it, some minutes
#   tool-core/benches/instructions.sh macro/text   one figure, to look into: the profile's path is printed as well
#
# Each case runs N times and then 2 N times, and the difference is N calls without what comes before and after them.
# Ends with 0 where all runs: a goal that is missed is printed, not failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 1; }
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/instructions
mkdir -p "$work"

# The benches' profile, built without being run; its path is the last word of what cargo says.
program=$(cargo bench -p tool-core --bench instructions --no-run --color never 2>&1 |
    tee "$work/build" | sed -n 's/.*(\(.*\))$/\1/p' | tail -n 1)
[ -x "$program" ] || { cat "$work/build" >&2; exit 1; }

# total CASE TOOLS TIMES
total() {
    valgrind --tool=callgrind --callgrind-out-file="$work/profile" "$program" "$@" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# counted CASE TOOLS TIMES: instructions of one call.
counted() {
    local once twice
    once=$(total "$1" "$2" "$3")
    twice=$(total "$1" "$2" $((2 * $3)))
    echo $(((twice - once) / $3))
}

# of CASE [TOOLS]: the same, counted once a run of this script.
declare -A known
of() {
    local case=$1 tools=${2:-16} times=400
    [[ $case == many/* || $case == *000-tags* ]] && times=8
    [ -n "${known[$case $tools]-}" ] || known[$case $tools]=$(counted "$case" "$tools" "$times")
    figure=${known[$case $tools]}
}

if [ $# -gt 0 ]; then
    of "$1" "${2:-16}"
    echo "$figure instructions; callgrind_annotate $work/profile"
    exit
fi

# row TITLE OURS THEIRS LIMIT: two figures, their ratio, and whether it keeps the limit ("-": none set).
row() {
    awk -v title="$1" -v ours="$2" -v theirs="$3" -v limit="$4" 'BEGIN {
        ratio = ours / theirs
        verdict = limit == "-" ? "" : sprintf("<= %s  %s", limit, ratio <= limit ? "met" : "MISSED")
        printf "%-52s %9d %9d %8.2f  %s\n", title, ours, theirs, ratio, verdict
    }'
}

# against TITLE CASE TOOLS FLOOR-CASE FLOOR-TOOLS LIMIT
against() {
    local ours
    of "$2" "$3"
    ours=$figure
    of "$4" "$5"
    row "$1" "$ours" "$figure" "$6"
}

rustc --version
printf '%-52s %9s %9s %8s  %s\n' "instructions" ours beside ratio goal
for size in 1 16 256 4096; do
    for who in macro hand; do
        against "text, $who, $size tools ÷ floor (a)" "$who/text" "$size" floor/text "$size" 1.4
    done
done
for who in macro hand; do
    against "text, $who, 4096 tools ÷ 1 tool" "$who/text" 4096 "$who/text" 1 1.03
    against "text, $who, through ToolExecutor ÷ floor (a)" "$who/executor" 16 floor/text 16 1.4
    against "text, $who ÷ floor (b)" "$who/text" 16 boxed/text 16 -
    against "value, $who ÷ floor (a)" "$who/value" 16 floor/value 16 1.4
    against "a missing field, $who ÷ floor (a)" "$who/missing" 16 floor/missing 16 2
    against "an unknown tool, $who ÷ floor (a)" "$who/unknown" 16 floor/unknown 16 2
    against "a number as a string, $who ÷ unrepaired" "$who/number-as-string" 16 "$who/text" 16 6
    against "an array as a string, $who ÷ unrepaired" "$who/tags-as-string" 16 "$who/text" 16 6
    against "200 tags and a repair, $who ÷ unrepaired" "$who/200-tags-repaired" 16 "$who/200-tags" 16 6
    against "the same, 2000 tags ÷ 200 tags" "$who/2000-tags-repaired" 16 "$who/200-tags-repaired" 16 10.5
done

# What both sides of a construction need, their ids, is taken off both.
for size in 16 256 4096; do
    of many/ids "$size"; ids=$figure
    of many/registry "$size"; ours=$figure
    of many/map "$size"
    row "construction of $size tools ÷ map of boxed objects" $((ours - ids)) $((figure - ids)) 2
done
of many/bare-registry; bare=$figure
of many/list-first; first=$figure
of many/list-again; again=$figure
of many/schemas
row "listing 16 tools first ÷ their schemas alone" $((first - bare)) "$figure" -
row "listing 16 tools again ÷ first" "$again" $((first - bare)) -
