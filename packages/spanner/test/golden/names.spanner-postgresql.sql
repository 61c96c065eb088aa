CREATE SEQUENCE "Order_all_seq" BIT_REVERSED_POSITIVE;

CREATE TABLE "Order" (
  "group" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("from" || '|' || (EXTRACT(epoch FROM "Hash") * 1000000)::bigint::text), 4))) STORED,
  "from" varchar(10) NOT NULL,
  "Hash_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "Hash") * 1000000))::bigint) STORED,
  "Hash" timestamptz NOT NULL,
  "all" bigint NOT NULL DEFAULT (nextval('Order_all_seq')),
  "Partition" bytea,
  "NULL" boolean NOT NULL,
  "Create_shard" bigint GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(coalesce("Partition", '\x5c4e'::bytea) || '\x7c'::bytea || "NULL"::text::bytea), 2))) VIRTUAL,
  PRIMARY KEY ("group", "from", "Hash_desc", "Hash", "all")
);

CREATE INDEX "Order_limit" ON "Order" ("NULL" DESC) INCLUDE ("Partition");

CREATE INDEX "Create" ON "Order" ("Create_shard", "NULL");

CREATE TABLE "Select" (
  "group" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("from" || '|' || (EXTRACT(epoch FROM "Hash") * 1000000)::bigint::text), 4))) STORED,
  "from" varchar(10) NOT NULL,
  "Hash_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "Hash") * 1000000))::bigint) STORED,
  "Hash" timestamptz NOT NULL,
  "all" bigint NOT NULL,
  "Primary" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  PRIMARY KEY ("group", "from", "Hash_desc", "Hash", "all", "Primary")
)
  INTERLEAVE IN PARENT "Order" ON DELETE NO ACTION;

CREATE TABLE "txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" (
  "cyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  PRIMARY KEY ("cyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy")
);

CREATE INDEX "txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_82bd98f6" ON "txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" ("cyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
