CREATE TABLE `Price` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `price` NUMERIC NOT NULL,
  `weight` FLOAT32
) PRIMARY KEY (`id`);

CREATE INDEX `ByPrice` ON `Price` (`price` DESC);

CREATE INDEX `ByWeight` ON `Price` (`weight`);

CREATE INDEX `ByWeightDown` ON `Price` (`weight` DESC);
