#!/usr/bin/env bash
# `lemmata flow` and `lemmata sgd` as scripts rely on them: files, resuming after Ctrl-C and kill -9,
# refusals. Usage: runs_test.sh LEMMATA
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
stop_in_the_middle() { # signal, folder, command …: signals it once its folder has a checkpoint
    local signal=$1 folder=$2
    shift 2
    "$@" >out 2>err &
    local process=$!
    for _ in $(seq 400); do
        [ -e "$folder/sgd.checkpoint" ] && break
        sleep 0.05
    done
    kill -"$signal" "$process" 2>/dev/null
    wait "$process" 2>/dev/null
}

cat >run.toml <<'TOML'
title = "two heads"
[model]
activation = "softmax-1"
tokens = 4
[prior]
kind = "flipping-spike"
strengths = [2, 2]
[flow]
heads = 2
until = 3
seed = 5
[sgd]
dimension = 150
rate = 0.05
TOML
cheap="--method monte-carlo --samples 2000 --tolerance 1e-4"

check "flow runs" exits 0 "$lemmata" flow run.toml $cheap
check "flow is silent on standard error" [ ! -s err ]
check "flow writes nothing without --out" [ "$(find . -type f | wc -l)" -eq 3 ]
check "flow with files" exits 0 "$lemmata" flow run.toml $cheap --out a --json
check "flow's JSON is in the folder too" cmp out a/flow.json
check "flow has its events and its reason to stop" sh -c 'grep -q "\"tau_s\"" out && grep -q "\"stopped\": \"until\"" out'
check "the table starts as promised" sh -c 'head -1 a/trajectory.csv | grep -q "^tau,loss,m_1_1,m_1_2,m_2_1,m_2_2,b_1,b_2,v,R_1_1,R_1_2,R_2_2$"'
check "one thread gives the same bytes" exits 0 "$lemmata" flow run.toml $cheap --jobs 1 --json
check "one thread gives the same bytes" cmp out a/flow.json
check "a finished run can go further" exits 0 "$lemmata" flow run.toml $cheap --out a --until 4
check "but not back" exits 2 "$lemmata" flow run.toml $cheap --out a --until 1
check "another run is not mixed in" exits 2 "$lemmata" flow run.toml $cheap --out a --seed 6
check "the symmetric root is another run" exits 2 "$lemmata" flow run.toml $cheap --out a --root symmetric
check "fresh samples go in Euler steps" exits 0 "$lemmata" flow run.toml --method monte-carlo --samples 500 --samples-fresh --until 0.1
check "no start" sh -c "sed '/^heads/d' run.toml >bad.toml"
check "no start" exits 2 "$lemmata" flow bad.toml

check "sgd runs" exits 0 "$lemmata" sgd run.toml $cheap --out whole --json
check "sgd says how far from the flow" grep -q '"distance"' out
stop_in_the_middle KILL killed "$lemmata" sgd run.toml $cheap --out killed --checkpoint-seconds 0
check "a killed run left no results" [ ! -e killed/sgd.json ]
check "a killed run goes on" exits 0 "$lemmata" sgd run.toml $cheap --out killed
for file in sgd.checkpoint sgd.csv sgd.json trajectory.csv; do
    check "a killed run ends with the same bytes: $file" cmp "whole/$file" "killed/$file"
done
stop_in_the_middle INT stopped "$lemmata" sgd run.toml $cheap --out stopped --checkpoint-seconds 0
check "an interrupted run goes on" exits 0 "$lemmata" sgd run.toml $cheap --out stopped --jobs 1
check "an interrupted run ends with the same bytes" cmp whole/sgd.json stopped/sgd.json
check "another dimension is another run" exits 2 "$lemmata" sgd run.toml $cheap --out whole --dimension 100
check "no dimension" exits 2 "$lemmata" sgd run.toml --dimension 0
check "no rate" exits 2 "$lemmata" sgd run.toml --rate -1

finish
