CREATE TABLE "ClientHash" (
  "shardId" bigint NOT NULL,
  "userId" bigint NOT NULL,
  CONSTRAINT "ClientHash_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 64),
  PRIMARY KEY ("shardId", "userId")
);

CREATE TABLE "ClientHashOutsideKey" (
  "shardId" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "region" varchar(20) NOT NULL,
  "city" varchar(20) NOT NULL,
  CONSTRAINT "ClientHashOutsideKey_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 7),
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "ClientHashOfDefault" (
  "shardId" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "createdAt" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  CONSTRAINT "ClientHashOfDefault_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 7),
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "RandomShard" (
  "shardId" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  CONSTRAINT "RandomShard_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 200),
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "RoundRobinShard" (
  "shard" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  CONSTRAINT "RoundRobinShard_shard_range" CHECK ("shard" >= 0 AND "shard" < 16),
  PRIMARY KEY ("shard", "id")
);

CREATE TABLE "txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" (
  "shardId" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  CONSTRAINT "txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_d147801b" CHECK ("shardId" >= 0 AND "shardId" < 16),
  PRIMARY KEY ("shardId", "id")
);
