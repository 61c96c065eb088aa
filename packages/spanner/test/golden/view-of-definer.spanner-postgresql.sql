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

CREATE VIEW "Names" SQL SECURITY DEFINER AS SELECT "id", "full_name" FROM "User";
