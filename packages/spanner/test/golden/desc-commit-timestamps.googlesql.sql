CREATE TABLE `CommitTimes` (
  `userId` INT64 NOT NULL,
  `at` TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true)
) PRIMARY KEY (`userId`, `at` DESC);
