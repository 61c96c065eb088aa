CREATE TABLE `Hash_int64` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`value` AS STRING)), 64))) STORED,
  `value` INT64 NOT NULL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `Hash_text` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(`value`), 64))) STORED,
  `value` STRING(100) NOT NULL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `Hash_bytes` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(`value`), 64))) STORED,
  `value` BYTES(100) NOT NULL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `Hash_bool` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`value` AS STRING)), 64))) STORED,
  `value` BOOL NOT NULL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `Hash_date` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(`value` AS STRING)), 64))) STORED,
  `value` DATE NOT NULL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `Hash_timestamp` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CAST(UNIX_MICROS(`value`) AS STRING)), 64))) STORED,
  `value` TIMESTAMP NOT NULL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `Hash_uuid` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(`value`), 64))) STORED,
  `value` STRING(36) NOT NULL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashOutsideKey_int64` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(CAST(`value` AS STRING), '\\N'), '|', `id`)), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `value` INT64
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashOutsideKey_text` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(`value`, '\\N'), '|', `id`)), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `value` STRING(100)
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashOutsideKey_bytes` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(`value`, b'\\N'), b'|', CAST(`id` AS BYTES))), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `value` BYTES(100)
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashOutsideKey_bool` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(CAST(`value` AS STRING), '\\N'), '|', `id`)), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `value` BOOL
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashOutsideKey_date` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(CAST(`value` AS STRING), '\\N'), '|', `id`)), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `value` DATE
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashOutsideKey_timestamp` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(CAST(UNIX_MICROS(`value`) AS STRING), '\\N'), '|', `id`)), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `value` TIMESTAMP
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashOutsideKey_uuid` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(`value`, '\\N'), '|', `id`)), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `value` STRING(36)
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashTexts` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(`int64` AS STRING), '|', `text`, '|', CAST(`bool` AS STRING), '|', CAST(`date` AS STRING), '|', CAST(UNIX_MICROS(`timestamp`) AS STRING), '|', `uuid`)), 10000))) STORED,
  `int64` INT64 NOT NULL,
  `text` STRING(100) NOT NULL,
  `bool` BOOL NOT NULL,
  `date` DATE NOT NULL,
  `timestamp` TIMESTAMP NOT NULL,
  `uuid` STRING(36) NOT NULL
) PRIMARY KEY (`shardId`, `int64`, `text`, `bool`, `date`, `timestamp`, `uuid`);

CREATE TABLE `HashAll` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(CAST(`int64` AS STRING) AS BYTES), b'|', CAST(`text` AS BYTES), b'|', CAST(CAST(`bool` AS STRING) AS BYTES), b'|', CAST(CAST(`date` AS STRING) AS BYTES), b'|', CAST(CAST(UNIX_MICROS(`timestamp`) AS STRING) AS BYTES), b'|', CAST(`uuid` AS BYTES), b'|', `bytes`)), 10000))) STORED,
  `int64` INT64 NOT NULL,
  `text` STRING(100) NOT NULL,
  `bool` BOOL NOT NULL,
  `date` DATE NOT NULL,
  `timestamp` TIMESTAMP NOT NULL,
  `uuid` STRING(36) NOT NULL,
  `bytes` BYTES(100) NOT NULL
) PRIMARY KEY (`shardId`, `int64`, `text`, `bool`, `date`, `timestamp`, `uuid`, `bytes`);

CREATE TABLE `HashOneShard` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(`id`), 1))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID())
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `HashNow` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(UNIX_MICROS(`at`) AS STRING), '|', CAST(`userId` AS STRING))), 64))) STORED,
  `at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  `userId` INT64 NOT NULL
) PRIMARY KEY (`shardId`, `at` DESC, `userId`);
