CREATE TABLE "Fingerprints" (
  "hash" bigint NOT NULL GENERATED ALWAYS AS (spanner.farm_fingerprint("url")) STORED,
  "url" varchar(2000) NOT NULL,
  PRIMARY KEY ("hash", "url")
);

CREATE TABLE "Digests" (
  "hash" bytea NOT NULL GENERATED ALWAYS AS (sha256(("tenant"::text || '|' || "url")::bytea)) STORED,
  "tenant" bigint NOT NULL,
  "url" varchar(2000) NOT NULL,
  PRIMARY KEY ("hash", "tenant", "url")
);

CREATE TABLE "DigestAlone" (
  "url_hash" bytea NOT NULL GENERATED ALWAYS AS (sha256("url"::bytea)) STORED,
  "url" varchar(2000) NOT NULL,
  PRIMARY KEY ("url_hash")
);

CREATE TABLE "DigestOfBytes" (
  "hash" bytea NOT NULL GENERATED ALWAYS AS (sha512("blob" || '\x7c'::bytea || (EXTRACT(epoch FROM "at") * 1000000)::bigint::text::bytea || '\x7c'::bytea || coalesce("note"::bytea, '\x5c4e'::bytea))) STORED,
  "blob" bytea NOT NULL,
  "at" timestamptz NOT NULL,
  "note" varchar(20),
  PRIMARY KEY ("hash", "blob", "at")
);

CREATE TABLE "DigestByClient" (
  "hash" bytea NOT NULL,
  "region" varchar(20) NOT NULL,
  "city" varchar(20) NOT NULL,
  PRIMARY KEY ("hash")
);
