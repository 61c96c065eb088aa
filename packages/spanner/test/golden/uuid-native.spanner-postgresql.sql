CREATE TABLE "NativeUuids" (
  "id" uuid NOT NULL DEFAULT (gen_random_uuid()),
  "other" uuid,
  "NativeUuids_other_shard" bigint GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("id"::text), 8))) VIRTUAL,
  PRIMARY KEY ("id")
);

CREATE INDEX "NativeUuids_other" ON "NativeUuids" ("NativeUuids_other_shard", "other");

CREATE TABLE "NativeUuidShards" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("tenant" || '\x7c'::bytea || "id"::text::bytea), 64))) STORED,
  "id" uuid NOT NULL DEFAULT (gen_random_uuid()),
  "tenant" bytea NOT NULL,
  PRIMARY KEY ("shardId", "id", "tenant")
);
