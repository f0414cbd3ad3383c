#!/bin/bash
# Makes the state and the logs of a version, as a kill leaves them: Tests/FlowTests/Upgrades/make.sh FLOW
#
# The folder of a version that was released is never changed. The first two were made of the commits ffde0724 (0.1.0) and
# e3833218 (0.2.0).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
flow=$(realpath "$1")
version=$("$flow" version | cut -d ' ' -f 2)
work=/tmp/flow-$version
mkdir "$work"
cp "$here/pipeline.yaml" "$work/p.yaml"
cp "$here/tell.sh" "$work"
cd "$work"
for id in 1 2 3 4 5 6; do echo "{\"id\":$id,\"kind\":\"k$((id % 2))\",\"n\":$id}"; done >in.jsonl
"$flow" run --state state p.yaml 2>log &
sleep 2.5
printf '%s\n' '{"id":2,"kind":"k0","n":2}' '{"id":8,"kind":"k2","n":8}' >>in.jsonl
sleep 1
kill -9 $!
# What SQLite keeps beside its file, into it.
python3 -c 'import sqlite3; sqlite3.connect("state/upgrade.db").execute("pragma wal_checkpoint(truncate)").fetchall()'
mkdir "$here/$version"
cp -r out "$here/$version/logs"
cp in.jsonl "$here/$version"
cp state/upgrade.db "$here/$version/state.db"
rm -r "$work"
