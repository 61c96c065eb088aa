CREATE TABLE "KeyTypes" (
  "bool" boolean NOT NULL,
  "int64" bigint NOT NULL,
  "float64" double precision NOT NULL,
  "text" varchar(36) NOT NULL,
  "bytes" bytea NOT NULL,
  "date" date NOT NULL,
  "timestamp" timestamptz NOT NULL,
  "uuid" varchar(36) NOT NULL,
  PRIMARY KEY ("bool", "int64", "float64", "text", "bytes", "date", "timestamp", "uuid")
);

CREATE TABLE "KeyInAnotherOrder" (
  "a_desc" bigint NOT NULL GENERATED ALWAYS AS (-1 - "a") STORED,
  "a" bigint NOT NULL,
  "b" bigint NOT NULL,
  "c" bigint NOT NULL,
  PRIMARY KEY ("c", "b", "a_desc", "a")
);
