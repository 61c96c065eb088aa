#!/usr/bin/env bash
# other-clients.sh VERSION NODE: runs the tests of what the driver takes from Google's client (result messages, sessions,
# mutations, types, transactions) with another version of it, in a copy of the repository. NODE is the binary to run them
# with: client 9 needs Node 22 or newer.
set -euo pipefail
version=$1 node=$2
root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$copy")
cd "$copy"
sed -i "s|\"@google-cloud/spanner\": \"[0-9.]*\"|\"@google-cloud/spanner\": \"$version\"|" \
  package.json test/package.json bench/package.json packages/*/package.json examples/*/package.json
npx -y pnpm@12 install --no-frozen-lockfile >install.log 2>&1 || { tail install.log; exit 1; }
grep -q "\"version\": \"$version\"" packages/core/node_modules/@google-cloud/spanner/package.json
"$node" node_modules/typescript/bin/tsc -b packages/core
"$node" node_modules/vitest/vitest.mjs run --project spanner \
  test/database/writes.test test/database/values.test test/database/run.test test/database/bad-input.test \
  test/fan-out/plan.test test/fan-out/cancel.test test/fan-out/part-streams.test test/database/snapshots.test \
  test/migrations/migrate-driver.test test/sequences/generators.test test/drizzle/session.test
