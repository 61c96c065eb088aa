CREATE TABLE `Customer` (
  `region` STRING(20) NOT NULL,
  `customer_id` INT64 NOT NULL
) PRIMARY KEY (`region`, `customer_id` DESC);

CREATE TABLE `Visit` (
  `region` STRING(20) NOT NULL,
  `customer_id` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `place` STRING(10),
  `note` STRING(10),
  `rating` FLOAT64
) PRIMARY KEY (`region`, `customer_id` DESC, `id`),
  INTERLEAVE IN PARENT `Customer` ON DELETE NO ACTION;

CREATE INDEX `Place` ON `Visit` (`place`, `note`) WHERE `place` IS NOT NULL;

CREATE UNIQUE INDEX `PlaceAndNote` ON `Visit` (`place`, `note`) STORING (`rating`) WHERE `place` IS NOT NULL AND `note` IS NOT NULL;

CREATE INDEX `PlaceInCustomer` ON `Visit` (`region`, `customer_id` DESC, `place` DESC) WHERE `place` IS NOT NULL, INTERLEAVE IN `Customer`;
