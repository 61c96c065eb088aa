CREATE TABLE "Hash_int64" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("value"::text), 64))) STORED,
  "value" bigint NOT NULL,
  PRIMARY KEY ("shardId", "value")
);

CREATE TABLE "Hash_text" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("value"), 64))) STORED,
  "value" varchar(100) NOT NULL,
  PRIMARY KEY ("shardId", "value")
);

CREATE TABLE "Hash_bytes" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("value"), 64))) STORED,
  "value" bytea NOT NULL,
  PRIMARY KEY ("shardId", "value")
);

CREATE TABLE "Hash_bool" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("value"::text), 64))) STORED,
  "value" boolean NOT NULL,
  PRIMARY KEY ("shardId", "value")
);

CREATE TABLE "Hash_date" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("value"::text), 64))) STORED,
  "value" date NOT NULL,
  PRIMARY KEY ("shardId", "value")
);

CREATE TABLE "Hash_timestamp" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint((EXTRACT(epoch FROM "value") * 1000000)::bigint::text), 64))) STORED,
  "value" timestamptz NOT NULL,
  PRIMARY KEY ("shardId", "value")
);

CREATE TABLE "Hash_uuid" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("value"), 64))) STORED,
  "value" varchar(36) NOT NULL,
  PRIMARY KEY ("shardId", "value")
);

CREATE TABLE "HashOutsideKey_int64" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(coalesce("value"::text, '\N') || '|' || "id"), 64))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "value" bigint,
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashOutsideKey_text" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(coalesce("value", '\N') || '|' || "id"), 64))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "value" varchar(100),
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashOutsideKey_bytes" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(coalesce("value", '\x5c4e'::bytea) || '\x7c'::bytea || "id"::bytea), 64))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "value" bytea,
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashOutsideKey_bool" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(coalesce("value"::text, '\N') || '|' || "id"), 64))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "value" boolean,
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashOutsideKey_date" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(coalesce("value"::text, '\N') || '|' || "id"), 64))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "value" date,
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashOutsideKey_timestamp" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(CASE WHEN "value" IS NULL THEN '\N' ELSE (EXTRACT(epoch FROM "value") * 1000000)::bigint::text END || '|' || "id"), 64))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "value" timestamptz,
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashOutsideKey_uuid" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(coalesce("value", '\N') || '|' || "id"), 64))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "value" varchar(36),
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashTexts" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(("int64"::text || '|' || "text" || '|' || "bool"::text) || '|' || ("date"::text || '|' || (EXTRACT(epoch FROM "timestamp") * 1000000)::bigint::text || '|' || "uuid")), 10000))) STORED,
  "int64" bigint NOT NULL,
  "text" varchar(100) NOT NULL,
  "bool" boolean NOT NULL,
  "date" date NOT NULL,
  "timestamp" timestamptz NOT NULL,
  "uuid" varchar(36) NOT NULL,
  PRIMARY KEY ("shardId", "int64", "text", "bool", "date", "timestamp", "uuid")
);

CREATE TABLE "HashAll" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint((("int64"::text::bytea || '\x7c'::bytea || "text"::bytea) || '\x7c'::bytea || ("bool"::text::bytea || '\x7c'::bytea || "date"::text::bytea)) || '\x7c'::bytea || ((EXTRACT(epoch FROM "timestamp") * 1000000)::bigint::text::bytea || '\x7c'::bytea || "uuid"::bytea || '\x7c'::bytea || "bytes")), 10000))) STORED,
  "int64" bigint NOT NULL,
  "text" varchar(100) NOT NULL,
  "bool" boolean NOT NULL,
  "date" date NOT NULL,
  "timestamp" timestamptz NOT NULL,
  "uuid" varchar(36) NOT NULL,
  "bytes" bytea NOT NULL,
  PRIMARY KEY ("shardId", "int64", "text", "bool", "date", "timestamp", "uuid", "bytes")
);

CREATE TABLE "HashOneShard" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("id"), 1))) STORED,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "HashNow" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint((EXTRACT(epoch FROM "at") * 1000000)::bigint::text || '|' || "userId"::text), 64))) STORED,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "userId" bigint NOT NULL,
  PRIMARY KEY ("shardId", "at_desc", "at", "userId")
);
