CREATE TABLE "FromOne" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (1 + abs(mod(spanner.farm_fingerprint("title"), 200))) STORED,
  "title" varchar(100) NOT NULL,
  PRIMARY KEY ("shardId", "title")
);

CREATE TABLE "FromOneByClient" (
  "shardId" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  CONSTRAINT "FromOneByClient_shardId_range" CHECK ("shardId" >= 1 AND "shardId" < 201),
  PRIMARY KEY ("shardId", "id")
);

CREATE TABLE "Signed" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (mod(spanner.farm_fingerprint("title"), 16)) STORED,
  "title" varchar(100) NOT NULL,
  PRIMARY KEY ("shardId", "title")
);

CREATE TABLE "SignedByClient" (
  "shardId" bigint NOT NULL,
  "title" varchar(100) NOT NULL,
  CONSTRAINT "SignedByClient_shardId_range" CHECK ("shardId" >= -15 AND "shardId" < 16),
  PRIMARY KEY ("shardId", "title")
);

CREATE TABLE "SomebodyElses" (
  "shardId" bigint NOT NULL GENERATED ALWAYS AS (mod(abs("userId"), 10)) STORED,
  "userId" bigint NOT NULL,
  PRIMARY KEY ("shardId", "userId")
);
