CREATE TABLE "GivenTimes" (
  "userId" bigint NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL,
  PRIMARY KEY ("userId", "at_desc", "at")
);

CREATE TABLE "ClockTimes" (
  "userId" bigint NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  PRIMARY KEY ("userId", "at_desc", "at")
);

CREATE TABLE "CommitTimes" (
  "userId" bigint NOT NULL,
  "at" spanner.commit_timestamp NOT NULL,
  PRIMARY KEY ("userId", "at")
);

CREATE TABLE "TimesFirst" (
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL,
  "userId" bigint NOT NULL,
  PRIMARY KEY ("at_desc", "at", "userId")
);
