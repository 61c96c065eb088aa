CREATE TABLE `NativeUuids` (
  `id` UUID NOT NULL DEFAULT (NEW_UUID()),
  `other` UUID,
  `NativeUuids_other_shard` INT64 AS (ABS(MOD(FARM_FINGERPRINT(CAST(`id` AS STRING)), 8))) HIDDEN
) PRIMARY KEY (`id`);

CREATE INDEX `NativeUuids_other` ON `NativeUuids` (`NativeUuids_other_shard`, `other`);

CREATE TABLE `NativeUuidShards` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(CONCAT(`tenant`, b'|', CAST(CAST(`id` AS STRING) AS BYTES))), 64))) STORED,
  `id` UUID NOT NULL DEFAULT (NEW_UUID()),
  `tenant` BYTES(16) NOT NULL
) PRIMARY KEY (`shardId`, `id`, `tenant`);
