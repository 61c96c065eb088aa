CREATE SEQUENCE "Invoices" BIT_REVERSED_POSITIVE;

CREATE SEQUENCE "Receipts" BIT_REVERSED_POSITIVE SKIP RANGE 1 9223372036854775807 START COUNTER WITH 1000;

CREATE TABLE "User" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "full_name" varchar(100) NOT NULL,
  "password" bytea NOT NULL,
  PRIMARY KEY ("id")
);

CREATE TABLE "Login" (
  "id" varchar(36) NOT NULL,
  "at" timestamptz NOT NULL,
  "from" varchar(40),
  PRIMARY KEY ("id", "at")
)
  INTERLEAVE IN PARENT "User" ON DELETE CASCADE;

CREATE VIEW "Names" SQL SECURITY INVOKER AS SELECT "id", "full_name" FROM "User";

CREATE VIEW "NamesOfNames" SQL SECURITY INVOKER AS SELECT "full_name" FROM "Names";

CREATE CHANGE STREAM "Nothing";

CREATE CHANGE STREAM "Everything" FOR ALL WITH (retention_period = '7d', value_capture_type = 'NEW_ROW');

CREATE CHANGE STREAM "Some" FOR "User" ("full_name", "password"), "Login" WITH (retention_period = '36h', exclude_ttl_deletes = true, exclude_insert = false);

CREATE CHANGE STREAM "OnlyKeys" FOR "User" ();
