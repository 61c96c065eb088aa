CREATE TABLE `Customer` (
  `region` STRING(20) NOT NULL,
  `customer_id` INT64 NOT NULL
) PRIMARY KEY (`region`, `customer_id` DESC);

CREATE TABLE `Order` (
  `region` STRING(20) NOT NULL,
  `customer_id` INT64 NOT NULL,
  `orderId` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `orderedAt` TIMESTAMP NOT NULL,
  `paid_at` TIMESTAMP,
  `status` STRING(10) NOT NULL,
  `total` INT64 NOT NULL,
  `meta` JSON,
  `tags` ARRAY<STRING(MAX)> NOT NULL,
  `Recent_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(`orderId`), 16))) HIDDEN,
  `RecentPaid_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(`status`, '|', IFNULL(CAST(UNIX_MICROS(`paid_at`) AS STRING), '\\N'))), 4))) HIDDEN
) PRIMARY KEY (`region`, `customer_id` DESC, `orderId`),
  INTERLEAVE IN PARENT `Customer` ON DELETE CASCADE;

CREATE INDEX `Order_status` ON `Order` (`status`);

CREATE INDEX `Order_status_orderedAt_total` ON `Order` (`status`, `orderedAt` DESC, `total`);

CREATE UNIQUE INDEX `UniqueTotal` ON `Order` (`status`, `total`);

CREATE NULL_FILTERED INDEX `Paid` ON `Order` (`status` DESC, `paid_at`);

CREATE UNIQUE NULL_FILTERED INDEX `PaidOnce` ON `Order` (`status`, `paid_at`);

CREATE INDEX `StatusStoring` ON `Order` (`status`) STORING (`total`, `paid_at`, `meta`, `tags`);

CREATE INDEX `OrderedInCustomer` ON `Order` (`region`, `customer_id` DESC, `orderedAt` DESC), INTERLEAVE IN `Customer`;

CREATE UNIQUE INDEX `OrderedInCustomerStoring` ON `Order` (`region`, `customer_id` DESC, `paid_at`) STORING (`total`), INTERLEAVE IN `Customer`;

CREATE INDEX `Recent` ON `Order` (`Recent_shard`, `orderedAt` DESC);

CREATE NULL_FILTERED INDEX `RecentPaid` ON `Order` (`RecentPaid_shard`, `paid_at`) STORING (`total`);

CREATE NULL_FILTERED INDEX `NothingFiltered` ON `Order` (`status`, `orderedAt`);

CREATE TABLE `Quiet` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `createdAt` TIMESTAMP NOT NULL
) PRIMARY KEY (`id`);

CREATE INDEX `Quiet_createdAt` ON `Quiet` (`createdAt`);
