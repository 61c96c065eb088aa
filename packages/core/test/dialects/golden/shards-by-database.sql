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

CREATE TABLE `HashNullable_int64` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(CAST(`value` AS STRING), '\\N')), 64))) STORED,
  `value` INT64
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashNullable_text` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(`value`, '\\N')), 64))) STORED,
  `value` STRING(100)
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashNullable_bytes` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(`value`, b'\\N')), 64))) STORED,
  `value` BYTES(100)
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashNullable_bool` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(CAST(`value` AS STRING), '\\N')), 64))) STORED,
  `value` BOOL
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashNullable_date` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(CAST(`value` AS STRING), '\\N')), 64))) STORED,
  `value` DATE
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashNullable_timestamp` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(CAST(UNIX_MICROS(`value`) AS STRING), '\\N')), 64))) STORED,
  `value` TIMESTAMP
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashNullable_uuid` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(`value`, '\\N')), 64))) STORED,
  `value` STRING(36)
) PRIMARY KEY (`shardId`, `value`);

CREATE TABLE `HashTexts` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(`int64` AS STRING), '|', `text`, '|', CAST(`bool` AS STRING), '|', CAST(`date` AS STRING), '|', CAST(UNIX_MICROS(`timestamp`) AS STRING), '|', `uuid`)), 10000))) STORED,
  `int64` INT64 NOT NULL,
  `text` STRING(100) NOT NULL,
  `bool` BOOL NOT NULL,
  `date` DATE NOT NULL,
  `timestamp` TIMESTAMP NOT NULL,
  `uuid` STRING(36) NOT NULL
) PRIMARY KEY (`shardId`, `int64`, `text`, `bool`, `date`, `timestamp`, `uuid`);

CREATE TABLE `HashNullableTexts` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(CAST(`int64` AS STRING), '\\N'), '|', IFNULL(`text`, '\\N'), '|', IFNULL(CAST(`bool` AS STRING), '\\N'), '|', IFNULL(CAST(`date` AS STRING), '\\N'), '|', IFNULL(CAST(UNIX_MICROS(`timestamp`) AS STRING), '\\N'), '|', IFNULL(`uuid`, '\\N'))), 10000))) STORED,
  `int64` INT64,
  `text` STRING(100),
  `bool` BOOL,
  `date` DATE,
  `timestamp` TIMESTAMP,
  `uuid` STRING(36)
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

CREATE TABLE `HashNullableAll` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(CAST(CAST(`int64` AS STRING) AS BYTES), b'\\N'), b'|', IFNULL(CAST(`text` AS BYTES), b'\\N'), b'|', IFNULL(CAST(CAST(`bool` AS STRING) AS BYTES), b'\\N'), b'|', IFNULL(CAST(CAST(`date` AS STRING) AS BYTES), b'\\N'), b'|', IFNULL(CAST(CAST(UNIX_MICROS(`timestamp`) AS STRING) AS BYTES), b'\\N'), b'|', IFNULL(CAST(`uuid` AS BYTES), b'\\N'), b'|', IFNULL(`bytes`, b'\\N'))), 10000))) STORED,
  `int64` INT64,
  `text` STRING(100),
  `bool` BOOL,
  `date` DATE,
  `timestamp` TIMESTAMP,
  `uuid` STRING(36),
  `bytes` BYTES(100)
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

CREATE TABLE `HashOutsideKey` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(`region`, '\\N'), '|', `id`)), 64))) STORED,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `region` STRING(20)
) PRIMARY KEY (`shardId`, `id`);
