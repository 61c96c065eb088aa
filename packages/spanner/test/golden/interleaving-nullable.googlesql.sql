CREATE TABLE `Tenant` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(`region`, '\\N')), 16))) STORED,
  `region` STRING(20),
  `at` TIMESTAMP
) PRIMARY KEY (`shardId`, `region`, `at` DESC);

CREATE TABLE `User` (
  `shardId` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(IFNULL(`region`, '\\N')), 16))) STORED,
  `region` STRING(20),
  `at` TIMESTAMP,
  `userId` STRING(36) NOT NULL DEFAULT (GENERATE_UUID())
) PRIMARY KEY (`shardId`, `region`, `at` DESC, `userId`),
  INTERLEAVE IN PARENT `Tenant` ON DELETE CASCADE;
