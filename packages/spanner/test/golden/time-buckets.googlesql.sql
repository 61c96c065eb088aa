CREATE TABLE `log_by_hour` (
  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`user_id` AS STRING)), 4))) STORED,
  `bucket` TIMESTAMP NOT NULL,
  `at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  `user_id` INT64 NOT NULL
) PRIMARY KEY (`shard`, `bucket`, `at` DESC, `user_id`);

CREATE TABLE `log_by_day` (
  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`user_id` AS STRING)), 4))) STORED,
  `bucket` DATE NOT NULL,
  `at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  `user_id` INT64 NOT NULL
) PRIMARY KEY (`shard`, `bucket`, `at` DESC, `user_id`);

CREATE TABLE `log_by_week` (
  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`user_id` AS STRING)), 4))) STORED,
  `bucket` DATE NOT NULL,
  `at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  `user_id` INT64 NOT NULL
) PRIMARY KEY (`shard`, `bucket`, `at` DESC, `user_id`);

CREATE TABLE `log_by_month` (
  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`user_id` AS STRING)), 4))) STORED,
  `bucket` DATE NOT NULL,
  `at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  `user_id` INT64 NOT NULL
) PRIMARY KEY (`shard`, `bucket`, `at` DESC, `user_id`);

CREATE TABLE `log_by_year` (
  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`user_id` AS STRING)), 4))) STORED,
  `bucket` DATE NOT NULL,
  `at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  `user_id` INT64 NOT NULL
) PRIMARY KEY (`shard`, `bucket`, `at` DESC, `user_id`);

CREATE TABLE `post` (
  `publish_month` DATE NOT NULL,
  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(`id`), 4))) STORED,
  `publish_date` DATE NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID())
) PRIMARY KEY (`shard`, `publish_month`, `id`);
