CREATE TABLE `Device` (
  `shardId` INT64 NOT NULL,
  `deviceId` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  CONSTRAINT `Device_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 8)
) PRIMARY KEY (`shardId`, `deviceId`);

CREATE TABLE `LooseReading` (
  `shardId` INT64 NOT NULL,
  `deviceId` STRING(36) NOT NULL,
  `at` TIMESTAMP NOT NULL,
  CONSTRAINT `LooseReading_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 8)
) PRIMARY KEY (`shardId`, `deviceId`, `at`),
  INTERLEAVE IN `Device`;

CREATE TABLE `LooseValue` (
  `shardId` INT64 NOT NULL,
  `deviceId` STRING(36) NOT NULL,
  `at` TIMESTAMP NOT NULL,
  `line` INT64 NOT NULL
) PRIMARY KEY (`shardId`, `deviceId`, `at`, `line`),
  INTERLEAVE IN PARENT `LooseReading` ON DELETE CASCADE;
