import { describe, expect, it } from 'vitest'
import { effectOf } from '../../src/cql/ddl-effect.js'

describe('effectOf()', () => {
  it.each([
    ['CREATE TABLE "Order" ("id" uuid PRIMARY KEY)', { kind: 'table', name: 'Order', there: true }],
    [
      'create table if not exists Blog.Post (id int)',
      { keyspace: 'blog', kind: 'table', name: 'post', there: true },
    ],
    ['DROP TABLE IF EXISTS "a""b"', { kind: 'table', name: 'a"b', there: false }],
    ['-- away with it\nDROP TABLE /* now */ t;', { kind: 'table', name: 't', there: false }],
    ['CREATE TYPE "address" ("street" text)', { kind: 'type', name: 'address', there: true }],
    ['DROP TYPE "address"', { kind: 'type', name: 'address', there: false }],
    ['CREATE INDEX "i" ON "t" ("c") USING \'sai\'', { kind: 'index', name: 'i', there: true }],
    ['CREATE CUSTOM INDEX IF NOT EXISTS i ON t (c)', { kind: 'index', name: 'i', there: true }],
    ['DROP INDEX k.i', { keyspace: 'k', kind: 'index', name: 'i', there: false }],
    ['ALTER TABLE "t" ADD "c" text static', { kind: 'columns', table: 't', columns: ['c'], there: true }],
    ['ALTER TABLE t ADD IF NOT EXISTS c text', { kind: 'columns', table: 't', columns: ['c'], there: true }],
    [
      'ALTER TABLE t ADD (a map<int, text>, b frozen<tuple<int, int>>);',
      { kind: 'columns', table: 't', columns: ['a', 'b'], there: true },
    ],
    [
      'ALTER TABLE t ADD a frozen<map<int, text>>, b int',
      { kind: 'columns', table: 't', columns: ['a', 'b'], there: true },
    ],
    ['ALTER TABLE t DROP "c"', { kind: 'columns', table: 't', columns: ['c'], there: false }],
    [
      'ALTER TABLE t DROP IF EXISTS (a, b)',
      { kind: 'columns', table: 't', columns: ['a', 'b'], there: false },
    ],
    [
      'ALTER TABLE "t" RENAME "a" TO "b" AND c TO d',
      {
        kind: 'renamed',
        of: 'table',
        name: 't',
        names: [
          { from: 'a', to: 'b' },
          { from: 'c', to: 'd' },
        ],
      },
    ],
    ['ALTER TYPE "address" ADD "zip" ascii', { kind: 'fields', type: 'address', fields: ['zip'] }],
    [
      'ALTER TYPE address RENAME zip TO code',
      { kind: 'renamed', of: 'type', name: 'address', names: [{ from: 'zip', to: 'code' }] },
    ],
  ])('returns the effect of the statement on the catalogue: %s', (statement, effect) => {
    expect(effectOf(statement)).toStrictEqual(effect)
  })

  it.each([
    ['ALTER TABLE t WITH default_time_to_live = 5'],
    ['CREATE INDEX ON t (c)'],
    ['CREATE KEYSPACE k WITH replication = {}'],
    ["INSERT INTO t (a) VALUES ('CREATE TABLE x')"],
    ['ALTER TABLE t ADD'],
    ['ALTER TABLE t RENAME a'],
    ['DROP TABLE'],
    ['ALTER TYPE'],
    ['CREATE TABLE a.b.c (id int)'],
    ['-- CREATE TABLE t'],
    [''],
  ])('returns undefined for a statement with no known effect on the catalogue: %s', (statement) => {
    expect(effectOf(statement)).toBeUndefined()
  })
})
