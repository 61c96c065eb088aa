/**
 * Test files that `pnpm test` leaves to `pnpm test:deep`, with the reason: they take long, depend on the speed of the machine, on
 * chance or on a registry, or kill processes at random. A file goes back when it has been repaired.
 */
export const deepFiles: readonly string[] = [
  // Clusters, kills and starts of engines.
  'packages/cassandra/test/local/unavailable.test.ts',
  'packages/postgresql/test/local/first-state.test.ts',
  'packages/postgresql/test/server/*.test.ts',
  'packages/drizzle-adapter/test/postgresql/server.test.ts',
  'packages/spanner/test/local/binary.test.ts',
  'packages/spanner/test/local/parent-death.test.ts',
  'packages/spanner/test/local/unavailable.test.ts',
  'test/cassandra/cluster/cluster.test.ts',
  'test/cassandra/engine/parent-death.test.ts',
  'test/cassandra/engine/three-nodes.test.ts',
  'test/cassandra/migrations/crash-at-random.test.ts',
  'test/cassandra/sequences/load.test.ts',
  'test/migrations/crash-at-random.test.ts',
  'test/migrations/reshard-rehearsal.test.ts',
  'test/sequences/load.test.ts',
  // Packages that are installed from the registry, and commands in separate processes.
  'test/cassandra/cli/commands.test.ts',
  'test/cassandra/cli/pull.test.ts',
  'test/cli/**/*.test.ts',
  'test/packages/**/*.test.ts',
  'test/toolchains/toolchains.test.ts',
  // Long: many random schemas, tables and values.
  'packages/cli/test/pull/hostile.test.ts',
  'packages/postgresql/test/migrations/pairs.test.ts',
  'test/cassandra/database/queues.test.ts',
  'test/cassandra/migrations/pairs.test.ts',
  'packages/postgresql/test/conformance/many-rows.test.ts',
  'test/conformance/many-rows.test.ts',
  'test/conformance/skew.test.ts',
  'test/database/refused.test.ts',
  'test/database/split-writes.test.ts',
  'test/dialects/foreign-ddl.test.ts',
  'test/dialects/introspect-golden.test.ts',
  'test/dialects/round-trip-*.test.ts',
  'test/drizzle/fan-out-equals-memory.test.ts',
  'test/keys/fingerprint-lengths.test.ts',
  'test/migrations/pairs-*.test.ts',
  'test/drizzle/cache-random.test.ts',
  'test/drizzle/same-names-random.test.ts',
  'test/shared/fan-out/incomplete-filters.test.ts',
  'test/shared/security/injection.test.ts',
  'test/shared/security/injection-engine.test.ts',
]
