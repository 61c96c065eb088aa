CREATE TABLE "Session" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "seen_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
)
  TTL INTERVAL '30 days' ON "seen_at";

CREATE TABLE "Basket" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "session" varchar(36) NOT NULL,
  CONSTRAINT "Basket_session_fk" FOREIGN KEY ("session") REFERENCES "Session" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("id")
);
