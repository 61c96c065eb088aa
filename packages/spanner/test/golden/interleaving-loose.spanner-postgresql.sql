CREATE TABLE "Device" (
  "shardId" bigint NOT NULL,
  "deviceId" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  CONSTRAINT "Device_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 8),
  PRIMARY KEY ("shardId", "deviceId")
);

CREATE TABLE "LooseReading" (
  "shardId" bigint NOT NULL,
  "deviceId" varchar(36) NOT NULL,
  "at" timestamptz NOT NULL,
  CONSTRAINT "LooseReading_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 8),
  PRIMARY KEY ("shardId", "deviceId", "at")
)
  INTERLEAVE IN "Device";

CREATE TABLE "LooseValue" (
  "shardId" bigint NOT NULL,
  "deviceId" varchar(36) NOT NULL,
  "at" timestamptz NOT NULL,
  "line" bigint NOT NULL,
  PRIMARY KEY ("shardId", "deviceId", "at", "line")
)
  INTERLEAVE IN PARENT "LooseReading" ON DELETE CASCADE;
