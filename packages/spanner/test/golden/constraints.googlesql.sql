CREATE TABLE `Region` (
  `code` STRING(2) NOT NULL,
  `city` STRING(50) NOT NULL
) PRIMARY KEY (`code`, `city`);

CREATE TABLE `Customer` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `region_code` STRING(2) NOT NULL,
  `city` STRING(50) NOT NULL,
  `email` STRING(100),
  `invitedBy` STRING(36),
  CONSTRAINT `EmailHasAt` CHECK (STRPOS(`email`, '@') > 1),
  CONSTRAINT `CityIsGiven` CHECK (city <> ''),
  CONSTRAINT `Customer_region_city_fk` FOREIGN KEY (`region_code`, `city`) REFERENCES `Region` (`code`, `city`),
  CONSTRAINT `Customer_invitedBy_fk` FOREIGN KEY (`invitedBy`) REFERENCES `Customer` (`id`) ON DELETE CASCADE
) PRIMARY KEY (`id`);

CREATE TABLE `Letter` (
  `shardId` INT64 NOT NULL,
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `to` STRING(100),
  CONSTRAINT `Letter_shardId_range` CHECK (`shardId` >= 0 AND `shardId` < 4),
  CONSTRAINT `ToIsNotMe` CHECK (`to` != 'me'),
  CONSTRAINT `LetterTo` FOREIGN KEY (`to`) REFERENCES `Customer` (`email`)
) PRIMARY KEY (`shardId`, `id`);
