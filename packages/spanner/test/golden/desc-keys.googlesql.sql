CREATE TABLE `DescKeys` (
  `a_number` INT64 NOT NULL,
  `day` DATE NOT NULL,
  `at` TIMESTAMP NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID())
) PRIMARY KEY (`a_number` DESC, `day` DESC, `at` DESC, `id`);
