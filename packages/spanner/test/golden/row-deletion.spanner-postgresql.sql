CREATE TABLE "Session" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "seen_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
)
  TTL INTERVAL '30 days' ON "seen_at";

CREATE TABLE "Click" (
  "id" varchar(36) NOT NULL,
  "number" bigint NOT NULL,
  "at" spanner.commit_timestamp NOT NULL,
  PRIMARY KEY ("id", "number")
)
  INTERLEAVE IN PARENT "Session" ON DELETE CASCADE
  TTL INTERVAL '0 days' ON "at";
