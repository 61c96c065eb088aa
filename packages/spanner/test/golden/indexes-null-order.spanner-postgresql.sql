CREATE TABLE "Task" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "due" date,
  "done" date,
  PRIMARY KEY ("id")
);

CREATE INDEX "DueNullsFirst" ON "Task" ("due" NULLS FIRST, "done");

CREATE INDEX "DueNullsLast" ON "Task" ("due");

CREATE INDEX "DueDownNullsFirst" ON "Task" ("due" DESC);

CREATE INDEX "DueDownNullsLast" ON "Task" ("due" DESC NULLS LAST, "done" NULLS FIRST) WHERE "done" IS NOT NULL;
