CREATE TABLE "Person" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "first_name" varchar(50) NOT NULL,
  "lastName" varchar(50) NOT NULL DEFAULT ('Doe'),
  "visits" bigint NOT NULL DEFAULT ('0'::bigint),
  "born" date DEFAULT (current_date),
  "active" boolean NOT NULL DEFAULT (1 = 1 AND 2 > 1),
  "fullName" varchar(101) NOT NULL GENERATED ALWAYS AS ("first_name" || ' ' || "lastName") STORED,
  "initial" varchar GENERATED ALWAYS AS (substr("first_name", 1, 1)) VIRTUAL,
  PRIMARY KEY ("id")
);

CREATE INDEX "Person_initial_fullName" ON "Person" ("initial", "fullName");

CREATE TABLE "Parity" (
  "odd" bigint NOT NULL GENERATED ALWAYS AS (mod("number", 2)) STORED,
  "number" bigint NOT NULL,
  PRIMARY KEY ("odd", "number")
);
