CREATE TABLE "log_by_hour" (
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("user_id"::text), 4))) STORED,
  "bucket" timestamptz NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "user_id" bigint NOT NULL,
  PRIMARY KEY ("shard", "bucket", "at_desc", "at", "user_id")
);

CREATE TABLE "log_by_day" (
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("user_id"::text), 4))) STORED,
  "bucket" date NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "user_id" bigint NOT NULL,
  PRIMARY KEY ("shard", "bucket", "at_desc", "at", "user_id")
);

CREATE TABLE "log_by_week" (
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("user_id"::text), 4))) STORED,
  "bucket" date NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "user_id" bigint NOT NULL,
  PRIMARY KEY ("shard", "bucket", "at_desc", "at", "user_id")
);

CREATE TABLE "log_by_month" (
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("user_id"::text), 4))) STORED,
  "bucket" date NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "user_id" bigint NOT NULL,
  PRIMARY KEY ("shard", "bucket", "at_desc", "at", "user_id")
);

CREATE TABLE "log_by_year" (
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("user_id"::text), 4))) STORED,
  "bucket" date NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "user_id" bigint NOT NULL,
  PRIMARY KEY ("shard", "bucket", "at_desc", "at", "user_id")
);

CREATE TABLE "post" (
  "publish_month" date NOT NULL,
  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("id"), 4))) STORED,
  "publish_date" date NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  PRIMARY KEY ("shard", "publish_month", "id")
);
