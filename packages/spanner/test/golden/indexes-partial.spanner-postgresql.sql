CREATE TABLE "Customer" (
  "region" varchar(20) NOT NULL,
  "customer_id_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "customer_id") STORED,
  "customer_id" bigint NOT NULL,
  PRIMARY KEY ("region", "customer_id_desc", "customer_id")
);

CREATE TABLE "Visit" (
  "region" varchar(20) NOT NULL,
  "customer_id_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "customer_id") STORED,
  "customer_id" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "place" varchar(10),
  "note" varchar(10),
  "rating" double precision,
  PRIMARY KEY ("region", "customer_id_desc", "customer_id", "id")
)
  INTERLEAVE IN PARENT "Customer" ON DELETE NO ACTION;

CREATE INDEX "Place" ON "Visit" ("place", "note") WHERE "place" IS NOT NULL;

CREATE UNIQUE INDEX "PlaceAndNote" ON "Visit" ("place", "note") INCLUDE ("rating") WHERE "place" IS NOT NULL AND "note" IS NOT NULL;

CREATE INDEX "PlaceInCustomer" ON "Visit" ("region", "customer_id_desc", "customer_id", "place" DESC) INTERLEAVE IN "Customer" WHERE "place" IS NOT NULL;
