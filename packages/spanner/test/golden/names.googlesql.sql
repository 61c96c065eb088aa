CREATE SEQUENCE `Order_all_seq` OPTIONS (sequence_kind = 'bit_reversed_positive');

CREATE TABLE `Order` (
  `group` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(`from`, '|', CAST(UNIX_MICROS(`Hash`) AS STRING))), 4))) STORED,
  `from` STRING(10) NOT NULL,
  `Hash` TIMESTAMP NOT NULL,
  `all` INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE `Order_all_seq`)),
  `Partition` BYTES(MAX),
  `NULL` BOOL NOT NULL,
  `Create_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(IFNULL(`Partition`, b'\\N'), b'|', CAST(CAST(`NULL` AS STRING) AS BYTES))), 2))) HIDDEN
) PRIMARY KEY (`group`, `from`, `Hash` DESC, `all`);

CREATE INDEX `Order_limit` ON `Order` (`NULL` DESC) STORING (`Partition`);

CREATE INDEX `Create` ON `Order` (`Create_shard`, `NULL`);

CREATE TABLE `Select` (
  `group` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(`from`, '|', CAST(UNIX_MICROS(`Hash`) AS STRING))), 4))) STORED,
  `from` STRING(10) NOT NULL,
  `Hash` TIMESTAMP NOT NULL,
  `all` INT64 NOT NULL,
  `Primary` STRING(36) NOT NULL DEFAULT (GENERATE_UUID())
) PRIMARY KEY (`group`, `from`, `Hash` DESC, `all`, `Primary`),
  INTERLEAVE IN PARENT `Order` ON DELETE NO ACTION;

CREATE TABLE `txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (
  `cyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy` STRING(36) NOT NULL DEFAULT (GENERATE_UUID())
) PRIMARY KEY (`cyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy`);

CREATE INDEX `txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_82bd98f6` ON `txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (`cyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy`);
