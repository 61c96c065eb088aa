CREATE TABLE `Region` (
  `code` STRING(2) NOT NULL,
  `city` STRING(50) NOT NULL
) PRIMARY KEY (`code`, `city`);

CREATE TABLE `Shop` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `region` STRING(2) NOT NULL,
  `city` STRING(50) NOT NULL,
  CONSTRAINT `Shop_region_city_fk` FOREIGN KEY (`region`, `city`) REFERENCES `Region` (`code`, `city`) NOT ENFORCED
) PRIMARY KEY (`id`);
