CREATE SCHEMA `archive`;

CREATE SCHEMA `sales`;

CREATE SCHEMA `billing`;

CREATE SCHEMA `reports`;

CREATE SEQUENCE `billing`.`Invoices` OPTIONS (sequence_kind = 'bit_reversed_positive', start_with_counter = 7);

CREATE SEQUENCE `sales`.`Order_number_seq` OPTIONS (sequence_kind = 'bit_reversed_positive');

CREATE TABLE `Order` (
  `shardId` INT64 NOT NULL,
  `orderId` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `sale` STRING(36) NOT NULL,
  `shard` INT64 NOT NULL,
  `number` INT64 NOT NULL,
  CONSTRAINT `Order_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 4)
) PRIMARY KEY (`shardId`, `orderId`);

CREATE TABLE `sales`.`Order` (
  `shardId` INT64 NOT NULL,
  `orderId` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `number` INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE `sales`.`Order_number_seq`)),
  `at` TIMESTAMP NOT NULL,
  `Recent_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(`orderId`), 4))) HIDDEN,
  CONSTRAINT `sales_Order_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 4),
  CONSTRAINT `sales_Order_at` CHECK (`at` > '2000-01-01T00:00:00Z')
) PRIMARY KEY (`shardId`, `orderId`, `number`);

CREATE INDEX `sales`.`Order_number` ON `sales`.`Order` (`number`);

CREATE INDEX `sales`.`Recent` ON `sales`.`Order` (`Recent_shard`, `at`);

CREATE TABLE `sales`.`Item` (
  `shardId` INT64 NOT NULL,
  `orderId` STRING(36) NOT NULL,
  `number` INT64 NOT NULL,
  `line` INT64 NOT NULL
) PRIMARY KEY (`shardId`, `orderId`, `number`, `line`),
  INTERLEAVE IN PARENT `sales`.`Order` ON DELETE CASCADE;

CREATE INDEX `sales`.`Lines` ON `sales`.`Item` (`shardId`, `orderId`, `number`, `line` DESC), INTERLEAVE IN `sales`.`Order`;

ALTER TABLE `Order` ADD CONSTRAINT `Order_shard_sale_number_fk` FOREIGN KEY (`shard`, `sale`, `number`) REFERENCES `sales`.`Order` (`shardId`, `orderId`, `number`) ON DELETE CASCADE;

CREATE VIEW `reports`.`Orders` SQL SECURITY INVOKER AS SELECT o.orderId FROM sales.`Order` AS o;

CREATE CHANGE STREAM `SalesFeed` FOR `sales`.`Order` (`at`), `sales`.`Item`;
