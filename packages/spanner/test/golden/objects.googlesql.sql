CREATE SEQUENCE `Invoices` OPTIONS (sequence_kind = 'bit_reversed_positive');

CREATE SEQUENCE `Receipts` OPTIONS (sequence_kind = 'bit_reversed_positive', start_with_counter = 1000, skip_range_min = 1, skip_range_max = 9223372036854775807);

CREATE TABLE `User` (
  `id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
  `full_name` STRING(100) NOT NULL,
  `password` BYTES(64) NOT NULL
) PRIMARY KEY (`id`);

CREATE TABLE `Login` (
  `id` STRING(36) NOT NULL,
  `at` TIMESTAMP NOT NULL,
  `from` STRING(40)
) PRIMARY KEY (`id`, `at`),
  INTERLEAVE IN PARENT `User` ON DELETE CASCADE;

CREATE VIEW `Names` SQL SECURITY INVOKER AS SELECT u.id, u.full_name FROM `User` AS u;

CREATE VIEW `NamesOfNames` SQL SECURITY INVOKER AS SELECT n.full_name FROM Names AS n;

CREATE CHANGE STREAM `Nothing`;

CREATE CHANGE STREAM `Everything` FOR ALL OPTIONS (retention_period = '7d', value_capture_type = 'NEW_ROW');

CREATE CHANGE STREAM `Some` FOR `User` (`full_name`, `password`), `Login` OPTIONS (retention_period = '36h', exclude_ttl_deletes = true, exclude_insert = false);

CREATE CHANGE STREAM `OnlyKeys` FOR `User` ();
