CREATE TABLE `Hidden` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `plain` STRING(MAX) NOT NULL HIDDEN,
  `defaulted` INT64 NOT NULL DEFAULT (7) HIDDEN,
  `doubled` INT64 NOT NULL AS (`defaulted` * 2) STORED HIDDEN,
  `changedAt` TIMESTAMP HIDDEN OPTIONS (allow_commit_timestamp = true)
) PRIMARY KEY (`id`);
