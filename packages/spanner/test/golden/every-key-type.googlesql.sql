CREATE TABLE `EveryKeyType` (
  `bool` BOOL NOT NULL,
  `int64` INT64 NOT NULL,
  `float32` FLOAT32 NOT NULL,
  `float64` FLOAT64 NOT NULL,
  `numeric` NUMERIC NOT NULL,
  `text` STRING(36) NOT NULL,
  `bytes` BYTES(16) NOT NULL,
  `date` DATE NOT NULL,
  `timestamp` TIMESTAMP NOT NULL,
  `uuid` STRING(36) NOT NULL
) PRIMARY KEY (`bool`, `int64`, `float32`, `float64`, `numeric`, `text`, `bytes`, `date`, `timestamp`, `uuid`);

CREATE TABLE `NullableKeyTypes` (
  `bool` BOOL,
  `int64` INT64,
  `float32` FLOAT32,
  `float64` FLOAT64,
  `numeric` NUMERIC,
  `text` STRING(36),
  `bytes` BYTES(16),
  `date` DATE,
  `timestamp` TIMESTAMP,
  `uuid` STRING(36)
) PRIMARY KEY (`bool` DESC, `int64` DESC, `float32` DESC, `float64` DESC, `numeric` DESC, `text` DESC, `bytes` DESC, `date` DESC, `timestamp` DESC, `uuid` DESC);
