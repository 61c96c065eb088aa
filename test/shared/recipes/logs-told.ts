// The DDL of the logs in each dialect, and the lint findings of other logs.

export const ddl = {
  googlesql: {
    AccountLog: `CREATE TABLE \`AccountLog\` (
  \`accountId\` STRING(36) NOT NULL,
  \`at\` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  \`entryId\` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  \`action\` STRING(200) NOT NULL
) PRIMARY KEY (\`accountId\`, \`at\` DESC, \`entryId\`),
  INTERLEAVE IN PARENT \`Account\` ON DELETE CASCADE`,
    EventLog: `CREATE TABLE \`EventLog\` (
  \`shard\` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(\`eventId\`), 64))) STORED,
  \`at\` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  \`eventId\` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  \`what\` STRING(200) NOT NULL
) PRIMARY KEY (\`shard\`, \`at\` DESC, \`eventId\`)`,
    Outbox: `CREATE TABLE \`Outbox\` (
  \`shard\` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(\`eventId\`), 16))) STORED,
  \`at\` TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  \`eventId\` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  \`what\` STRING(200) NOT NULL
) PRIMARY KEY (\`shard\`, \`at\`, \`eventId\`)`,
  },
  'spanner-postgresql': {
    AccountLog: `CREATE TABLE "AccountLog" (
  "accountId" varchar(36) NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "entryId" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "action" varchar(200) NOT NULL,
  PRIMARY KEY ("accountId", "at_desc", "at", "entryId")
)
  INTERLEAVE IN PARENT "Account" ON DELETE CASCADE`,
    EventLog: `CREATE TABLE "EventLog" (
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("eventId"), 64))) STORED,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "eventId" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "what" varchar(200) NOT NULL,
  PRIMARY KEY ("shard", "at_desc", "at", "eventId")
)`,
    Outbox: `CREATE TABLE "Outbox" (
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("eventId"), 16))) STORED,
  "at" spanner.commit_timestamp NOT NULL,
  "eventId" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "what" varchar(200) NOT NULL,
  PRIMARY KEY ("shard", "at", "eventId")
)`,
  },
  cql: {
    // The log is in the partition of its account.
    Account: `CREATE TABLE "Account" (
  "accountId" uuid,
  "at" timestamp,
  "entryId" uuid,
  "_row" boolean static,
  "name" text static,
  "action" text,
  PRIMARY KEY (("accountId"), "at", "entryId")
) WITH CLUSTERING ORDER BY ("at" DESC, "entryId" ASC)`,
    EventLog: `CREATE TABLE "EventLog" (
  "shard" int,
  "at" timestamp,
  "eventId" uuid,
  "what" text,
  PRIMARY KEY (("shard"), "at", "eventId")
) WITH CLUSTERING ORDER BY ("at" DESC, "eventId" ASC)`,
  },
}

interface Finding {
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly table: string
}

const ofSpanner = {
  busy: { rule: 'spanner/shard-count', severity: 'error', table: 'Busy' },
  huge: { rule: 'spanner/row-tree-size', severity: 'warning', table: 'Account' },
  // One server can write one entry a second.
  quiet: { rule: 'monotonic-first-key', severity: 'warning', table: 'Quiet' },
} as const

/**
 * The lint findings by the name of the dialect: of too many writes for two shards, of an endless log under one root, and of
 * one write a second.
 */
export const findings: Readonly<Record<string, Readonly<Record<'busy' | 'huge' | 'quiet', Finding>>>> = {
  googlesql: ofSpanner,
  'spanner-postgresql': ofSpanner,
  cql: {
    // The capacity of a partition is assumed.
    busy: { rule: 'cassandra/shard-count', severity: 'warning', table: 'Busy' },
    huge: { rule: 'cassandra/unbounded-partition', severity: 'error', table: 'HugeLog' },
    quiet: { rule: 'cassandra/time-partition', severity: 'warning', table: 'Quiet' },
  },
  'keyspaces-cql': {
    busy: { rule: 'cassandra/shard-count', severity: 'error', table: 'Busy' },
    huge: { rule: 'cassandra/unbounded-partition', severity: 'error', table: 'HugeLog' },
    quiet: { rule: 'cassandra/time-partition', severity: 'warning', table: 'Quiet' },
  },
}
