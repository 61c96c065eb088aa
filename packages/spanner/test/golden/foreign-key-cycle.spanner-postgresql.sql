CREATE TABLE "Egg" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "laidBy" varchar(36),
  PRIMARY KEY ("id")
);

CREATE INDEX "Egg_laidBy" ON "Egg" ("laidBy");

CREATE TABLE "Hen" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "egg" varchar(36) NOT NULL,
  CONSTRAINT "Hen_egg_fk" FOREIGN KEY ("egg") REFERENCES "Egg" ("id"),
  PRIMARY KEY ("id")
);

ALTER TABLE "Egg" ADD CONSTRAINT "Egg_laidBy_fk" FOREIGN KEY ("laidBy") REFERENCES "Hen" ("id") ON DELETE CASCADE;
