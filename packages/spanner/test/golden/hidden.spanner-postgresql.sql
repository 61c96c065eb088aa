CREATE TABLE "Hidden" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "plain" varchar NOT NULL,
  "defaulted" bigint NOT NULL DEFAULT ('7'::bigint),
  "doubled" bigint NOT NULL GENERATED ALWAYS AS ("defaulted" * 2) STORED,
  "changedAt" spanner.commit_timestamp,
  PRIMARY KEY ("id")
);
