CREATE TABLE "Customer" (
  "region" varchar(20) NOT NULL,
  "customer_id_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "customer_id") STORED,
  "customer_id" bigint NOT NULL,
  PRIMARY KEY ("region", "customer_id_desc", "customer_id")
);

CREATE TABLE "Order" (
  "region" varchar(20) NOT NULL,
  "customer_id_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "customer_id") STORED,
  "customer_id" bigint NOT NULL,
  "orderId" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "orderedAt" timestamptz NOT NULL,
  "paid_at" timestamptz,
  "status" varchar(10) NOT NULL,
  "total" bigint NOT NULL,
  "meta" jsonb,
  "tags" varchar[] NOT NULL,
  "Recent_shard" bigint GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("orderId"), 16))) VIRTUAL,
  "RecentPaid_shard" bigint GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint("status" || '|' || CASE WHEN "paid_at" IS NULL THEN '\N' ELSE (EXTRACT(epoch FROM "paid_at") * 1000000)::bigint::text END), 4))) VIRTUAL,
  PRIMARY KEY ("region", "customer_id_desc", "customer_id", "orderId")
)
  INTERLEAVE IN PARENT "Customer" ON DELETE CASCADE;

CREATE INDEX "Order_status" ON "Order" ("status");

CREATE INDEX "Order_status_orderedAt_total" ON "Order" ("status", "orderedAt" DESC, "total");

CREATE UNIQUE INDEX "UniqueTotal" ON "Order" ("status", "total");

CREATE INDEX "Paid" ON "Order" ("status" DESC, "paid_at") WHERE "paid_at" IS NOT NULL;

CREATE UNIQUE INDEX "PaidOnce" ON "Order" ("status", "paid_at") WHERE "paid_at" IS NOT NULL;

CREATE INDEX "StatusStoring" ON "Order" ("status") INCLUDE ("total", "paid_at", "meta", "tags");

CREATE INDEX "OrderedInCustomer" ON "Order" ("region", "customer_id_desc", "customer_id", "orderedAt" DESC) INTERLEAVE IN "Customer";

CREATE UNIQUE INDEX "OrderedInCustomerStoring" ON "Order" ("region", "customer_id_desc", "customer_id", "paid_at") INCLUDE ("total") INTERLEAVE IN "Customer";

CREATE INDEX "Recent" ON "Order" ("Recent_shard", "orderedAt" DESC);

CREATE INDEX "RecentPaid" ON "Order" ("RecentPaid_shard", "paid_at") INCLUDE ("total") WHERE "paid_at" IS NOT NULL;

CREATE INDEX "NothingFiltered" ON "Order" ("status", "orderedAt");

CREATE TABLE "Quiet" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "createdAt" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);

CREATE INDEX "Quiet_createdAt" ON "Quiet" ("createdAt");
