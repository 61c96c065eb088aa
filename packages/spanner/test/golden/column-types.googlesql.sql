CREATE TABLE `ColumnTypes` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `bool` BOOL NOT NULL,
  `int64` INT64 NOT NULL,
  `number` INT64 NOT NULL,
  `float32` FLOAT32 NOT NULL,
  `float64` FLOAT64 NOT NULL,
  `numeric` NUMERIC NOT NULL,
  `text` STRING(MAX) NOT NULL,
  `shortText` STRING(1) NOT NULL,
  `longText` STRING(2621440) NOT NULL,
  `bytes` BYTES(MAX) NOT NULL,
  `shortBytes` BYTES(1) NOT NULL,
  `longBytes` BYTES(10485760) NOT NULL,
  `date` DATE NOT NULL,
  `timestamp` TIMESTAMP NOT NULL,
  `timestampNow` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  `timestampCommit` TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
  `json` JSON NOT NULL,
  `uuid` STRING(36) NOT NULL
) PRIMARY KEY (`id`);

CREATE TABLE `NullableColumnTypes` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `bool` BOOL,
  `int64` INT64,
  `number` INT64,
  `float32` FLOAT32,
  `float64` FLOAT64,
  `numeric` NUMERIC,
  `text` STRING(MAX),
  `shortText` STRING(1),
  `longText` STRING(2621440),
  `bytes` BYTES(MAX),
  `shortBytes` BYTES(1),
  `longBytes` BYTES(10485760),
  `date` DATE,
  `timestamp` TIMESTAMP,
  `timestampNow` TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()),
  `timestampCommit` TIMESTAMP OPTIONS (allow_commit_timestamp = true),
  `json` JSON,
  `uuid` STRING(36)
) PRIMARY KEY (`id`);

CREATE TABLE `ArrayTypes` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `bools` ARRAY<BOOL> NOT NULL,
  `int64s` ARRAY<INT64> NOT NULL,
  `float32s` ARRAY<FLOAT32> NOT NULL,
  `float64s` ARRAY<FLOAT64> NOT NULL,
  `numerics` ARRAY<NUMERIC> NOT NULL,
  `strings` ARRAY<STRING(36)> NOT NULL,
  `bytess` ARRAY<BYTES(16)> NOT NULL,
  `dates` ARRAY<DATE> NOT NULL,
  `timestamps` ARRAY<TIMESTAMP> NOT NULL,
  `jsons` ARRAY<JSON> NOT NULL,
  `uuids` ARRAY<STRING(36)> NOT NULL,
  `texts` ARRAY<STRING(MAX)> NOT NULL
) PRIMARY KEY (`id`);

CREATE TABLE `NullableArrayTypes` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `bools` ARRAY<BOOL>,
  `int64s` ARRAY<INT64>,
  `float32s` ARRAY<FLOAT32>,
  `float64s` ARRAY<FLOAT64>,
  `numerics` ARRAY<NUMERIC>,
  `strings` ARRAY<STRING(36)>,
  `bytess` ARRAY<BYTES(16)>,
  `dates` ARRAY<DATE>,
  `timestamps` ARRAY<TIMESTAMP>,
  `jsons` ARRAY<JSON>,
  `uuids` ARRAY<STRING(36)>,
  `texts` ARRAY<STRING(MAX)>
) PRIMARY KEY (`id`);
