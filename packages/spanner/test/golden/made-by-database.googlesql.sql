CREATE TABLE `Person` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `first_name` STRING(50) NOT NULL,
  `lastName` STRING(50) NOT NULL DEFAULT ('Doe'),
  `visits` INT64 NOT NULL DEFAULT (0),
  `born` DATE DEFAULT (CURRENT_DATE('UTC')),
  `active` BOOL NOT NULL DEFAULT (TRUE),
  `fullName` STRING(101) NOT NULL AS (CONCAT(`first_name`, ' ', `lastName`)) STORED,
  `initial` STRING(MAX) AS (SUBSTR(`first_name`, 1, 1))
) PRIMARY KEY (`id`);

CREATE INDEX `Person_initial_fullName` ON `Person` (`initial`, `fullName`);

CREATE TABLE `Parity` (
  `odd` INT64 NOT NULL AS (MOD(`number`, 2)) STORED,
  `number` INT64 NOT NULL
) PRIMARY KEY (`odd`, `number`);
