CREATE TABLE "UuidBytes" (
  "id" bytea NOT NULL,
  "other" bytea,
  PRIMARY KEY ("id")
);

CREATE TABLE "PairParent" (
  "id_high" bigint NOT NULL DEFAULT ((spanner.farm_fingerprint(spanner.generate_uuid()) & -61441) | 16384),
  "id_low" bigint NOT NULL DEFAULT ((spanner.farm_fingerprint(spanner.generate_uuid()) & 4611686018427387903) | (-9223372036854775807 - 1)),
  PRIMARY KEY ("id_high", "id_low")
);

CREATE TABLE "PairChild" (
  "id_high" bigint NOT NULL,
  "id_low" bigint NOT NULL,
  "second_id_high" bigint NOT NULL DEFAULT ((spanner.farm_fingerprint(spanner.generate_uuid()) & -61441) | 16384),
  "second_id_low" bigint NOT NULL DEFAULT ((spanner.farm_fingerprint(spanner.generate_uuid()) & 4611686018427387903) | (-9223372036854775807 - 1)),
  "refers_high" bigint,
  "refers_low" bigint,
  "kept_high" bigint NOT NULL,
  "kept_low" bigint NOT NULL,
  CONSTRAINT "PairChild_refers_fk" FOREIGN KEY ("refers_high", "refers_low") REFERENCES "PairParent" ("id_high", "id_low"),
  PRIMARY KEY ("id_high", "id_low", "second_id_high", "second_id_low")
)
  INTERLEAVE IN PARENT "PairParent" ON DELETE CASCADE;

CREATE INDEX "PairChild_refers" ON "PairChild" ("refers_high", "refers_low") INCLUDE ("kept_high", "kept_low");

CREATE UNIQUE INDEX "PairRefers" ON "PairChild" ("refers_high" DESC, "refers_low" DESC) WHERE "refers_high" IS NOT NULL AND "refers_low" IS NOT NULL;
