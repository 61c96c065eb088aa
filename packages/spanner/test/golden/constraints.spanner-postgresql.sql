CREATE TABLE "Region" (
  "code" varchar(2) NOT NULL,
  "city" varchar(50) NOT NULL,
  PRIMARY KEY ("code", "city")
);

CREATE TABLE "Customer" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "region_code" varchar(2) NOT NULL,
  "city" varchar(50) NOT NULL,
  "email" varchar(100),
  "invitedBy" varchar(36),
  CONSTRAINT "EmailHasAt" CHECK (strpos("email", '@') > 1),
  CONSTRAINT "CityIsGiven" CHECK (city <> ''),
  CONSTRAINT "Customer_region_city_fk" FOREIGN KEY ("region_code", "city") REFERENCES "Region" ("code", "city"),
  CONSTRAINT "Customer_invitedBy_fk" FOREIGN KEY ("invitedBy") REFERENCES "Customer" ("id") ON DELETE CASCADE,
  PRIMARY KEY ("id")
);

CREATE TABLE "Letter" (
  "shardId" bigint NOT NULL,
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "to" varchar(100),
  CONSTRAINT "Letter_shardId_range" CHECK ("shardId" >= 0 AND "shardId" < 4),
  CONSTRAINT "ToIsNotMe" CHECK ("to" <> 'me'),
  CONSTRAINT "LetterTo" FOREIGN KEY ("to") REFERENCES "Customer" ("email"),
  PRIMARY KEY ("shardId", "id")
);
