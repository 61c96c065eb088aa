CREATE TABLE `KeyTypes` (
  `bool` BOOL NOT NULL,
  `int64` INT64 NOT NULL,
  `float64` FLOAT64 NOT NULL,
  `text` STRING(36) NOT NULL,
  `bytes` BYTES(16) NOT NULL,
  `date` DATE NOT NULL,
  `timestamp` TIMESTAMP NOT NULL,
  `uuid` STRING(36) NOT NULL
) PRIMARY KEY (`bool`, `int64`, `float64`, `text`, `bytes`, `date`, `timestamp`, `uuid`);

CREATE TABLE `KeyInAnotherOrder` (
  `a` INT64 NOT NULL,
  `b` INT64 NOT NULL,
  `c` INT64 NOT NULL
) PRIMARY KEY (`c`, `b`, `a` DESC);
