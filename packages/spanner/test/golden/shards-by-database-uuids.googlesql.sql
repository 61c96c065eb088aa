CREATE TABLE `Hash_int64_pair` (
  `id_high` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & -61441) | 16384),
  `id_low` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & 4611686018427387903) | (-9223372036854775807 - 1)),
  `other_high` INT64,
  `other_low` INT64,
  `blob` BYTES(10) NOT NULL,
  `at` TIMESTAMP NOT NULL,
  `ById_int64_pair_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(FORMAT('%08x-%04x-%04x-%04x-%012x', `id_high` >> 32, (`id_high` >> 16) & 0xffff, `id_high` & 0xffff, `id_low` >> 48, `id_low` & 0xffffffffffff)), 64))) HIDDEN,
  `ByAll_int64_pair_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(FORMAT('%08x-%04x-%04x-%04x-%012x', `id_high` >> 32, (`id_high` >> 16) & 0xffff, `id_high` & 0xffff, `id_low` >> 48, `id_low` & 0xffffffffffff) AS BYTES), b'|', IFNULL(CAST(FORMAT('%08x-%04x-%04x-%04x-%012x', `other_high` >> 32, (`other_high` >> 16) & 0xffff, `other_high` & 0xffff, `other_low` >> 48, `other_low` & 0xffffffffffff) AS BYTES), b'\\N'), b'|', `blob`)), 64))) HIDDEN
) PRIMARY KEY (`id_high`, `id_low`);

CREATE INDEX `ById_int64_pair` ON `Hash_int64_pair` (`ById_int64_pair_shard`, `at`);

CREATE INDEX `ByAll_int64_pair` ON `Hash_int64_pair` (`ByAll_int64_pair_shard`, `at`);

CREATE TABLE `Hash_bytes` (
  `id` BYTES(16) NOT NULL DEFAULT (FROM_HEX(REPLACE(GENERATE_UUID(), '-', ''))),
  `other` BYTES(16),
  `blob` BYTES(10) NOT NULL,
  `at` TIMESTAMP NOT NULL,
  `ById_bytes_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(REGEXP_REPLACE(TO_HEX(`id`), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5')), 64))) HIDDEN,
  `ByAll_bytes_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(REGEXP_REPLACE(TO_HEX(`id`), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5') AS BYTES), b'|', IFNULL(CAST(REGEXP_REPLACE(TO_HEX(`other`), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5') AS BYTES), b'\\N'), b'|', `blob`)), 64))) HIDDEN
) PRIMARY KEY (`id`);

CREATE INDEX `ById_bytes` ON `Hash_bytes` (`ById_bytes_shard`, `at`);

CREATE INDEX `ByAll_bytes` ON `Hash_bytes` (`ByAll_bytes_shard`, `at`);
