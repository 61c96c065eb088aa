CREATE TABLE "DescKeys" (
  "a_number_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "a_number") STORED,
  "a_number" bigint NOT NULL,
  "day_desc" bigint NOT NULL GENERATED ALWAYS AS (-("day" - '0001-01-01'::date)) STORED,
  "day" date NOT NULL,
  "at_desc" bigint NOT NULL GENERATED ALWAYS AS ((-(EXTRACT(epoch FROM "at") * 1000000))::bigint) STORED,
  "at" timestamptz NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  PRIMARY KEY ("a_number_desc", "a_number", "day_desc", "day", "at_desc", "at", "id")
);
