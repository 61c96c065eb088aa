CREATE SCHEMA "archive";

CREATE SCHEMA "sales";

CREATE SCHEMA "billing";

CREATE SCHEMA "reports";

CREATE SEQUENCE "billing"."Invoices" BIT_REVERSED_POSITIVE START COUNTER WITH 7;

CREATE SEQUENCE "sales"."Order_number_seq" BIT_REVERSED_POSITIVE;

CREATE TABLE "Order" (
  "shardId" bigint NOT NULL,
  "orderId" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "sale" varchar(36) NOT NULL,
  "shard" bigint NOT NULL,
  "number" bigint NOT NULL,
  CONSTRAINT "Order_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 4),
  PRIMARY KEY ("shardId", "orderId")
);

CREATE TABLE "sales"."Order" (
  "shardId" bigint NOT NULL,
  "orderId" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "number" bigint NOT NULL DEFAULT (nextval('sales.Order_number_seq')),
  "at" timestamptz NOT NULL,
  "Recent_shard" bigint GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("orderId"), 4))) VIRTUAL,
  CONSTRAINT "sales_Order_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 4),
  CONSTRAINT "sales_Order_at" CHECK ("at" > '2000-01-01T00:00:00Z'),
  PRIMARY KEY ("shardId", "orderId", "number")
);

CREATE INDEX "Order_number" ON "sales"."Order" ("number");

CREATE INDEX "Recent" ON "sales"."Order" ("Recent_shard", "at");

CREATE TABLE "sales"."Item" (
  "shardId" bigint NOT NULL,
  "orderId" varchar(36) NOT NULL,
  "number" bigint NOT NULL,
  "line" bigint NOT NULL,
  PRIMARY KEY ("shardId", "orderId", "number", "line")
)
  INTERLEAVE IN PARENT "sales"."Order" ON DELETE CASCADE;

CREATE INDEX "Lines" ON "sales"."Item" ("shardId", "orderId", "number", "line" DESC) INTERLEAVE IN "sales"."Order";

ALTER TABLE "Order" ADD CONSTRAINT "Order_shard_sale_number_fk" FOREIGN KEY ("shard", "sale", "number") REFERENCES "sales"."Order" ("shardId", "orderId", "number") ON DELETE CASCADE;

CREATE VIEW "reports"."Orders" SQL SECURITY INVOKER AS SELECT "orderId" FROM "sales"."Order";

CREATE CHANGE STREAM "SalesFeed" FOR "sales"."Order" ("at"), "sales"."Item";
