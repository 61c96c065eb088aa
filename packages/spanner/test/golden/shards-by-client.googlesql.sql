CREATE TABLE `ClientHash` (
  `shardId` INT64 NOT NULL,
  `userId` INT64 NOT NULL,
  CONSTRAINT `ClientHash_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 64)
) PRIMARY KEY (`shardId`, `userId`);

CREATE TABLE `ClientHashOutsideKey` (
  `shardId` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `region` STRING(20) NOT NULL,
  `city` STRING(20) NOT NULL,
  CONSTRAINT `ClientHashOutsideKey_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 7)
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `ClientHashOfDefault` (
  `shardId` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `createdAt` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP()),
  CONSTRAINT `ClientHashOfDefault_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 7)
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `RandomShard` (
  `shardId` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  CONSTRAINT `RandomShard_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 200)
) PRIMARY KEY (`shardId`, `id`);

CREATE TABLE `RoundRobinShard` (
  `shard` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  CONSTRAINT `RoundRobinShard_shard_range` CHECK (`shard` >= 0 AND `shard` < 16)
) PRIMARY KEY (`shard`, `id`);

CREATE TABLE `txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` (
  `shardId` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  CONSTRAINT `txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_d147801b` CHECK (`shardId` >= 0 AND `shardId` < 16)
) PRIMARY KEY (`shardId`, `id`);
