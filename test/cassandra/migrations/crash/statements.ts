import type { MigrationStatement } from '@isotherm/migrations'

/** Tables whose rows are the result of the migration. */
export const DATA = ['customer', 'visit', 'purchase', 'journal'] as const

const ddl = (sql: string): MigrationStatement => ({ kind: 'ddl', sql })
const rows = (sql: string): MigrationStatement => ({ kind: 'transaction', sql })

/**
 * Every kind of change that a keyspace takes, and rows between them. A statement over rows may run twice, and so each of
 * these leaves the same whether it runs once or again.
 */
export const statements: readonly MigrationStatement[] = [
  ddl('CREATE TYPE "address" ("street" text)'),
  ddl('CREATE TABLE "customer" ("id" int, "name" text, "home" frozen<"address">, PRIMARY KEY (("id")))'),
  ddl(`CREATE INDEX "customer_by_name" ON "customer" ("name") USING 'sai'`),
  rows(`INSERT INTO "customer" ("id", "name") VALUES (1, 'one')`),
  rows(`INSERT INTO "customer" ("id", "name", "home") VALUES (2, 'two', {"street": 'north'})`),
  ddl('ALTER TYPE "address" ADD "zip" ascii'),
  rows(`UPDATE "customer" SET "home" = {"street": 'south', "zip": '1'} WHERE "id" = 1`),
  ddl(
    'CREATE TABLE "visit" ("day" date, "at" int, "page" text, PRIMARY KEY (("day"), "at")) WITH CLUSTERING ORDER BY ("at" DESC)',
  ),
  ddl('ALTER TABLE "visit" ADD "theme" text static'),
  ddl('ALTER TABLE "visit" ADD "seconds" int'),
  rows(`INSERT INTO "visit" ("day", "at", "page", "theme") VALUES ('2026-11-22', 1, '/', 'dark')`),
  rows(`INSERT INTO "visit" ("day", "at", "page", "seconds") VALUES ('2026-11-22', 2, '/about', 7)`),
  ddl('ALTER TABLE "visit" RENAME "at" TO "moment"'),
  ddl('ALTER TABLE "visit" WITH default_time_to_live = 864000'),
  ddl('DROP INDEX "customer_by_name"'),
  ddl('ALTER TABLE "customer" DROP "name"'),
  ddl('ALTER TABLE "customer" ADD "names" set<text>'),
  rows(`UPDATE "customer" SET "names" = {'a', 'b'} WHERE "id" = 1`),
  ddl('CREATE TABLE "purchase" ("id" int, "line" int, "amount" decimal, PRIMARY KEY (("id"), "line"))'),
  rows('INSERT INTO "purchase" ("id", "line", "amount") VALUES (1, 1, 9.5)'),
  rows('INSERT INTO "purchase" ("id", "line", "amount") VALUES (1, 2, 10.5)'),
  rows('DELETE FROM "purchase" WHERE "id" = 1 AND "line" = 1'),
  ddl('CREATE TABLE "gone" ("id" int, PRIMARY KEY (("id")))'),
  ddl('CREATE TABLE "journal" ("entry" int, "note" text, PRIMARY KEY (("entry")))'),
  rows(`INSERT INTO "journal" ("entry", "note") VALUES (1, 'kept') IF NOT EXISTS`),
  ddl('DROP TABLE "gone"'),
  ddl('CREATE TYPE "unused" ("a" int)'),
  ddl('DROP TYPE "unused"'),
  ddl(`CREATE INDEX "purchase_by_amount" ON "purchase" ("amount") USING 'sai'`),
  rows(`UPDATE "visit" SET "seconds" = 9 WHERE "day" = '2026-11-22' AND "moment" = 1`),
]
