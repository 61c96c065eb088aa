CREATE TABLE `GivenTimes` (
  `userId` INT64 NOT NULL,
  `at` TIMESTAMP NOT NULL
) PRIMARY KEY (`userId`, `at` DESC);

CREATE TABLE `ClockTimes` (
  `userId` INT64 NOT NULL,
  `at` TIMESTAMP NOT NULL DEFAULT (CURRENT_TIMESTAMP())
) PRIMARY KEY (`userId`, `at` DESC);

CREATE TABLE `CommitTimes` (
  `userId` INT64 NOT NULL,
  `at` TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true)
) PRIMARY KEY (`userId`, `at`);

CREATE TABLE `TimesFirst` (
  `at` TIMESTAMP NOT NULL,
  `userId` INT64 NOT NULL
) PRIMARY KEY (`at` DESC, `userId`);
