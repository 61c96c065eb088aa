CREATE TABLE "ColumnTypes" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "bool" boolean NOT NULL,
  "int64" bigint NOT NULL,
  "number" bigint NOT NULL,
  "float32" real NOT NULL,
  "float64" double precision NOT NULL,
  "numeric" numeric NOT NULL,
  "text" varchar NOT NULL,
  "shortText" varchar(1) NOT NULL,
  "longText" varchar(2621440) NOT NULL,
  "bytes" bytea NOT NULL,
  "shortBytes" bytea NOT NULL,
  "longBytes" bytea NOT NULL,
  "date" date NOT NULL,
  "timestamp" timestamptz NOT NULL,
  "timestampNow" timestamptz NOT NULL DEFAULT (CURRENT_TIMESTAMP),
  "timestampCommit" spanner.commit_timestamp NOT NULL,
  "json" jsonb NOT NULL,
  "uuid" varchar(36) NOT NULL,
  PRIMARY KEY ("id")
);

CREATE TABLE "NullableColumnTypes" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "bool" boolean,
  "int64" bigint,
  "number" bigint,
  "float32" real,
  "float64" double precision,
  "numeric" numeric,
  "text" varchar,
  "shortText" varchar(1),
  "longText" varchar(2621440),
  "bytes" bytea,
  "shortBytes" bytea,
  "longBytes" bytea,
  "date" date,
  "timestamp" timestamptz,
  "timestampNow" timestamptz DEFAULT (CURRENT_TIMESTAMP),
  "timestampCommit" spanner.commit_timestamp,
  "json" jsonb,
  "uuid" varchar(36),
  PRIMARY KEY ("id")
);

CREATE TABLE "ArrayTypes" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "bools" boolean[] NOT NULL,
  "int64s" bigint[] NOT NULL,
  "float32s" real[] NOT NULL,
  "float64s" double precision[] NOT NULL,
  "numerics" numeric[] NOT NULL,
  "strings" varchar(36)[] NOT NULL,
  "bytess" bytea[] NOT NULL,
  "dates" date[] NOT NULL,
  "timestamps" timestamptz[] NOT NULL,
  "jsons" jsonb[] NOT NULL,
  "uuids" varchar(36)[] NOT NULL,
  "texts" varchar[] NOT NULL,
  PRIMARY KEY ("id")
);

CREATE TABLE "NullableArrayTypes" (
  "id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid()),
  "bools" boolean[],
  "int64s" bigint[],
  "float32s" real[],
  "float64s" double precision[],
  "numerics" numeric[],
  "strings" varchar(36)[],
  "bytess" bytea[],
  "dates" date[],
  "timestamps" timestamptz[],
  "jsons" jsonb[],
  "uuids" varchar(36)[],
  "texts" varchar[],
  PRIMARY KEY ("id")
);
