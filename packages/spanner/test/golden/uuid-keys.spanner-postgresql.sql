CREATE TABLE "UuidKeys" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "second_id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  PRIMARY KEY ("id", "second_id")
);
