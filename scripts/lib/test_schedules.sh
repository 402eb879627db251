# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps that run the schedule programs, and those
# that run a test, whichever it is, on copies of the core with one deliberate
# fault each. Without --full those that concern what differs from $since; which
# those are, scripts/lib/chosen.py says.

schedules=$build/scheduler/Tests/c/scheduler

build_schedules()
{
    cmake -S . -B "$build/scheduler" -G Ninja -DOBV_WERROR=ON \
        -DOBV_EXAMPLES=OFF -DOBV_SCHEDULER=ON -DOBV_SWIFT=OFF \
        -DOBV_TESTS=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc
    cmake --build "$build/scheduler"
}

# chosen KIND: the names of the faults, of the schedules or of the programs of these;
# all with --full.
chosen()
{
    if [ -n "$full" ]; then
        set -- "$1"
    else
        set -- "$1" ${since:+"$since"}
    fi
    python3 scripts/lib/chosen.py "$@"
}

# run_schedules EXTENT < LINES: runs each line `PROGRAM [SCENARIO]`, as many at a
# time as there are processors, with OBV_SCHEDULES=EXTENT and for no longer than
# $seconds of a processor if that is set; prints how each ended, then the sum. A
# program prints a line `ok NAME: N schedules` for each of its scenarios, and
# ends with status 1 at the first that fails.
run_schedules()
{
    local out=$build/schedules-$1
    rm -rf "$out"
    mkdir -p "$out"
    export OBV_SCHEDULES=$1 schedules out seconds=${seconds:-}
    # shellcheck disable=SC2016
    nl -w 3 -n rz -s ' ' | tr '\n' '\0' | xargs -0 -n 1 -P "$jobs" bash -c '
        read -r number program scenario <<<"$1"
        [ -z "$seconds" ] || ulimit -St "$seconds"
        timeout --foreground 1800 "$schedules/$program" ${scenario:+"$scenario"} \
            >"$out/$number" 2>&1
        status=$?
        # 128 and SIGXCPU: its time was over.
        if [ -n "$seconds" ] && [ "$status" -eq 152 ]; then
            echo "ok $scenario: as far as $seconds seconds went" \
                >>"$out/$number"
            status=0
        fi
        echo "$status $program $scenario" >"$out/$number.status"' run || true
    local file good bad
    for file in "$out"/*.status; do
        echo "== $(cut -d " " -f 2- "$file")"
        cat "${file%.status}"
        grep -q '^0 ' "$file" || echo "not ok: it ends with $(cut -d ' ' -f 1 "$file")"
    done
    good=$(cat "$out"/*[0-9] | grep -c '^ok ' || true)
    bad=$(cat "$out"/*.status | grep -vc '^0 ' || true)
    echo "$good passed, $bad failed"
    [ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
}

# With --full every scenario with its own bound of preemptions; else those of the
# chosen programs with one less, and with its own those that the chosen faults are
# found by.
step_scheduler()
{
    local failed=0 asked=$build/schedules-asked
    if [ -n "$full" ]; then
        build_schedules
        chosen programs | run_schedules usual
        return
    fi
    chosen programs >"$asked.programs" || return 1
    chosen schedules >"$asked" || return 1
    say "scheduler: with one preemption less the scenarios of" \
        "$(grep -c . "$asked.programs") programs;" \
        "whole the $(grep -c . "$asked") by which the chosen faults are found"
    ! grep -q . "$asked.programs" "$asked" || build_schedules
    ! grep -q . "$asked.programs" ||
        run_schedules short <"$asked.programs" || failed=1
    ! grep -q . "$asked" || run_schedules usual <"$asked" || failed=1
    return "$failed"
}

# costly_scenarios: PROGRAM and NAME of those that step_scheduler runs with one
# preemption less.
costly_scenarios()
{
    local program
    for program in $(chosen programs); do
        "$schedules/$program" --costly | sed "s/^/$program /"
    done
}

# --full: these with all their preemptions. Some of their schedules are more than
# can be run: each gets so many seconds of a processor, and none that was run may
# have failed.
step_schedules()
{
    local seconds=${OBV_SCHEDULES_SECONDS:-15}
    build_schedules
    costly_scenarios | sed 's/$/$/' | run_schedules full
}

# A fault that was not chosen must still apply.
faults_apply()
{
    local fault failed=0
    while read -r fault; do
        # As run.sh applies it.
        patch --dry-run --silent -p1 --fuzz=0 <"$fault" || failed=1
    done < <(find Tests/c/faults -name '*.patch' | sort)
    return "$failed"
}

step_faults()
{
    local names all failed=0
    mapfile -t names < <(chosen faults | grep .)
    all=$(find Tests/c/faults -name '*.patch' | wc -l)
    check "each of $all applies" faults_apply
    checked || failed=1
    say "faults: ${#names[@]} of $all"
    if [ ${#names[@]} -gt 0 ]; then
        BUILD=$build/faults Tests/c/faults/run.sh "${names[@]}" || failed=1
    fi
    return "$failed"
}
