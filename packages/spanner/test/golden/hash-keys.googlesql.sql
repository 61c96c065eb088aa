CREATE TABLE `Fingerprints` (
  `hash` INT64 NOT NULL AS (FARM_FINGERPRINT(`url`)) STORED,
  `url` STRING(2000) NOT NULL
) PRIMARY KEY (`hash`, `url`);

CREATE TABLE `Digests` (
  `hash` BYTES(32) NOT NULL AS (SHA256(CONCAT(CAST(`tenant` AS STRING), '|', `url`))) STORED,
  `tenant` INT64 NOT NULL,
  `url` STRING(2000) NOT NULL
) PRIMARY KEY (`hash`, `tenant`, `url`);

CREATE TABLE `DigestAlone` (
  `url_hash` BYTES(32) NOT NULL AS (SHA256(`url`)) STORED,
  `url` STRING(2000) NOT NULL
) PRIMARY KEY (`url_hash`);

CREATE TABLE `DigestOfBytes` (
  `hash` BYTES(64) NOT NULL AS (SHA512(CONCAT(`blob`, b'|', CAST(CAST(UNIX_MICROS(`at`) AS STRING) AS BYTES), b'|', IFNULL(CAST(`note` AS BYTES), b'\\N')))) STORED,
  `blob` BYTES(100) NOT NULL,
  `at` TIMESTAMP NOT NULL,
  `note` STRING(20)
) PRIMARY KEY (`hash`, `blob`, `at`);

CREATE TABLE `DigestByClient` (
  `hash` BYTES(32) NOT NULL,
  `region` STRING(20) NOT NULL,
  `city` STRING(20) NOT NULL
) PRIMARY KEY (`hash`);
