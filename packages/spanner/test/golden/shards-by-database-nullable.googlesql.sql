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

CREATE TABLE `HashNullableTexts` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(CAST(`int64` AS STRING), '\\N'), '|', IFNULL(`text`, '\\N'), '|', IFNULL(CAST(`bool` AS STRING), '\\N'), '|', IFNULL(CAST(`date` AS STRING), '\\N'), '|', IFNULL(CAST(UNIX_MICROS(`timestamp`) AS STRING), '\\N'), '|', IFNULL(`uuid`, '\\N'))), 10000))) STORED,
  `int64` INT64,
  `text` STRING(100),
  `bool` BOOL,
  `date` DATE,
  `timestamp` TIMESTAMP,
  `uuid` STRING(36)
) PRIMARY KEY (`shardId`, `int64`, `text`, `bool`, `date`, `timestamp`, `uuid`);

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
