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
grep -q "\"version\": \"$version\"" packages/spanner/node_modules/@google-cloud/spanner/package.json
"$node" node_modules/typescript/bin/tsc -b packages/spanner packages/cassandra packages/migrations
tests=(
  test/conformance/values.test.ts test/database/writes.test.ts test/database/run.test.ts test/database/bad-input.test.ts
  test/database/snapshots.test.ts test/fan-out/plan.test.ts test/fan-out/query-partition-streams.test.ts
  test/shared/fan-out/cancel.test.ts test/migrations/migrate-driver.test.ts test/sequences/generators.test.ts
  test/drizzle/session.test.ts
)
# A file that is not there would be passed over.
ls "${tests[@]}" >/dev/null
"$node" node_modules/vitest/vitest.mjs run --project spanner "${tests[@]}"
