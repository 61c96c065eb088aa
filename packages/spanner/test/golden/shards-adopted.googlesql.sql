CREATE TABLE `FromOne` (
  `shardId` INT64 NOT NULL AS (1 + ABS(MOD(FARM_FINGERPRINT(`title`), 200))) STORED,
  `title` STRING(100) NOT NULL
) PRIMARY KEY (`shardId`, `title`);

CREATE TABLE `FromOneByClient` (
  `shardId` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  CONSTRAINT `FromOneByClient_shardId_range` CHECK (`shardId` >= 1 AND `shardId` < 201)
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `Signed` (
  `shardId` INT64 NOT NULL AS (MOD(FARM_FINGERPRINT(`title`), 16)) STORED,
  `title` STRING(100) NOT NULL
) PRIMARY KEY (`shardId`, `title`);

CREATE TABLE `SignedByClient` (
  `shardId` INT64 NOT NULL,
  `title` STRING(100) NOT NULL,
  CONSTRAINT `SignedByClient_shardId_range` CHECK (`shardId` >= -15 AND `shardId` < 16)
) PRIMARY KEY (`shardId`, `title`);

CREATE TABLE `SomebodyElses` (
  `shardId` INT64 NOT NULL AS (MOD(ABS(`userId`), 10)) STORED,
  `userId` INT64 NOT NULL
) PRIMARY KEY (`shardId`, `userId`);
