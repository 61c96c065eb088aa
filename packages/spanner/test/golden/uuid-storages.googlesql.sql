CREATE TABLE `UuidBytes` (
  `id` BYTES(16) NOT NULL DEFAULT (FROM_HEX(REPLACE(GENERATE_UUID(), '-', ''))),
  `other` BYTES(16)
) PRIMARY KEY (`id`);

CREATE TABLE `PairParent` (
  `id_high` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & -61441) | 16384),
  `id_low` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & 4611686018427387903) | (-9223372036854775807 - 1))
) PRIMARY KEY (`id_high`, `id_low`);

CREATE TABLE `PairChild` (
  `id_high` INT64 NOT NULL,
  `id_low` INT64 NOT NULL,
  `second_id_high` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & -61441) | 16384),
  `second_id_low` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & 4611686018427387903) | (-9223372036854775807 - 1)),
  `refers_high` INT64,
  `refers_low` INT64,
  `kept_high` INT64 NOT NULL,
  `kept_low` INT64 NOT NULL,
  CONSTRAINT `PairChild_refers_fk` FOREIGN KEY (`refers_high`, `refers_low`) REFERENCES `PairParent` (`id_high`, `id_low`)
) PRIMARY KEY (`id_high`, `id_low`, `second_id_high`, `second_id_low`),
  INTERLEAVE IN PARENT `PairParent` ON DELETE CASCADE;

CREATE INDEX `PairChild_refers` ON `PairChild` (`refers_high`, `refers_low`) STORING (`kept_high`, `kept_low`);

CREATE UNIQUE NULL_FILTERED INDEX `PairRefers` ON `PairChild` (`refers_high` DESC, `refers_low` DESC);
