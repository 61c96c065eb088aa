import type { HashedColumn } from '@isotherm/core/engine'
import type { Schema, TableSchema, ColumnType } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import * as googleSqlHash from '../../packages/spanner/src/googlesql/hash-expression.js'
import { quote as googleSqlQuote } from '../../packages/spanner/src/googlesql/lexical-syntax.js'
import { googleSqlType } from '../../packages/spanner/src/googlesql/types.js'
import * as postgreSqlHash from '../../packages/spanner/src/postgresql/hash-expression.js'
import { quote as postgreSqlQuote } from '../../packages/spanner/src/postgresql/lexical-syntax.js'
import { mirrorExpression, mirrorName } from '../../packages/spanner/src/postgresql/mirror.js'
import { spannerPostgreSqlType } from '../../packages/spanner/src/postgresql/types.js'
import { schemaMadeBy } from './introspect-support.js'

// The tables of Isotherm are created by hand here, with its own expressions, and read after the engine has rewritten them.

const column = (name: string, type: ColumnType, nullable = false): HashedColumn => ({ name, type, nullable })

const text = column('Text', { kind: 'string', length: 20 })
const maybe = column('maybe', { kind: 'string', length: 'max' }, true)
const id = column('id', { kind: 'int64' })
const moment = column('moment', { kind: 'timestamp' }, true)
const day = column('day', { kind: 'date' })
const flag = column('flag', { kind: 'bool' })
const data = column('data', { kind: 'bytes', length: 'max' }, true)
const columns = [text, maybe, id, moment, day, flag, data]

const lists: readonly (readonly HashedColumn[])[] = [
  ...columns.map((each) => [each]),
  [id, text],
  [maybe, moment, id],
  [text, data, moment, day, flag, maybe],
]
const ranges = [{ shards: 64 }, { shards: 16, first: 1 }, { shards: 8, signed: true as const }]
const algorithms = ['farm-fingerprint', 'sha256', 'sha512'] as const
const ofAlgorithm = (at: number) => algorithms[at % algorithms.length]!
const typeOfHash = (at: number): ColumnType =>
  ofAlgorithm(at) === 'farm-fingerprint' ? { kind: 'int64' } : { kind: 'bytes', length: 64 }

const googleSql = {
  dialect: googlesql,
  hash: googleSqlHash,
  defined: ({ name, type, nullable }: HashedColumn, computed?: { as: string; stored: boolean }): string =>
    `${googleSqlQuote(name)} ${googleSqlType(type)}${nullable ? '' : ' NOT NULL'}` +
    (computed ? ` AS (${computed.as})${computed.stored ? ' STORED' : ''}` : ''),
  table: (name: string, definitions: readonly string[], key: readonly string[], parent?: string): string =>
    `CREATE TABLE ${name} (${definitions.join(', ')}) PRIMARY KEY (${key.map(googleSqlQuote).join(', ')})` +
    (parent === undefined ? '' : `, INTERLEAVE IN PARENT ${parent}`),
  index: (name: string, table: string, parts: readonly string[]): string =>
    `CREATE INDEX ${name} ON ${table} (${parts.map(googleSqlQuote).join(', ')})`,
  foreign: 'MOD(ABS(FARM_FINGERPRINT(CAST(`id` AS STRING))), 4)',
} as const

const postgreSql = {
  dialect: spannerPostgresql,
  hash: postgreSqlHash,
  defined: ({ name, type, nullable }: HashedColumn, computed?: { as: string; stored: boolean }): string =>
    `${postgreSqlQuote(name)} ${spannerPostgreSqlType(type)}${nullable ? '' : ' NOT NULL'}` +
    (computed ? ` GENERATED ALWAYS AS (${computed.as}) ${computed.stored ? 'STORED' : 'VIRTUAL'}` : ''),
  table: (name: string, definitions: readonly string[], key: readonly string[], parent?: string): string =>
    `CREATE TABLE "${name}" (${definitions.join(', ')}, PRIMARY KEY (${key.map(postgreSqlQuote).join(', ')}))` +
    (parent === undefined ? '' : ` INTERLEAVE IN PARENT "${parent}"`),
  index: (name: string, table: string, parts: readonly string[]): string =>
    `CREATE INDEX "${name}" ON "${table}" (${parts.map(postgreSqlQuote).join(', ')})`,
  foreign: 'mod(abs(spanner.farm_fingerprint("id"::text)), 4)',
} as const

describe.each([googleSql, postgreSql])(
  'introspection of shards and hashes in $dialect.name',
  ({ dialect, defined, table, index, hash, foreign }) => {
    const plain = columns.map((each) => defined(each))
    const shard = (name: string, as: string, stored = true): string =>
      defined(column(name, { kind: 'int64' }, !stored), { as, stored })

    let schema: Schema
    const tableNamed = (name: string): TableSchema => schema.tables.find((each) => each.name === name)!
    const columnNamed = (name: string, property: string) =>
      tableNamed(name).columns.find((each) => each.property === property)

    beforeAll(async () => {
      const ofId = hash.shardExpression([id], { shards: 4 })
      const required = column('required', { kind: 'int64' })
      schema = await schemaMadeBy(dialect, [
        ...lists.flatMap((of, at) => [
          table(
            `Sharded${at}`,
            [shard('shard', hash.shardExpression(of, ranges[at % ranges.length]!)), ...plain],
            ['shard', 'id'],
          ),
          table(
            `Hashed${at}`,
            [
              defined(column('hash', typeOfHash(at)), {
                as: hash.hashExpression(of, ofAlgorithm(at)),
                stored: true,
              }),
              ...plain,
            ],
            ['hash', 'id'],
          ),
        ]),
        table('Parent', [shard('shard', ofId), defined(id)], ['shard', 'id']),
        table('Child', [shard('shard', ofId), defined(id), defined(day)], ['shard', 'id', 'day'], 'Parent'),
        table(
          'Grandchild',
          [defined(column('shard', { kind: 'int64' })), defined(id), defined(day), defined(flag)],
          ['shard', 'id', 'day', 'flag'],
          'Child',
        ),
        table('Later', [defined(id), shard('shard', ofId)], ['id', 'shard']),
        table('Foreign', [shard('shard', foreign), defined(id)], ['shard', 'id']),
        table(
          'Indexed',
          [
            ...plain,
            shard('own', ofId, false),
            shard('shared', ofId, false),
            shard('kept', ofId),
            shard('shifted', hash.shardExpression([id], { shards: 4, first: 1 }), false),
            shard('stored_along', ofId, false),
            defined(required, { as: ofId, stored: false }),
          ],
          ['id'],
        ),
        index('Own', 'Indexed', ['own', 'moment']),
        index('Shared1', 'Indexed', ['shared', 'moment']),
        index('Shared2', 'Indexed', ['shared', 'day']),
        index('Kept', 'Indexed', ['kept', 'moment']),
        index('Shifted', 'Indexed', ['shifted', 'moment']),
        index('Second', 'Indexed', ['moment', 'stored_along']),
        index('Required', 'Indexed', ['required', 'moment']),
      ])
    })

    it.each(lists.map((of, at) => ({ at, names: of.map(({ name }) => name) })))(
      'recognizes the generated hash of $names as a shard column and as a hash column',
      ({ at, names }) => {
        expect(columnNamed(`Sharded${at}`, 'shard')).toEqual({
          property: 'shard',
          name: 'shard',
          type: { kind: 'int64' },
          nullable: false,
          immutable: false,
          inherited: false,
          source: {
            kind: 'shard',
            strategy: 'hash',
            ...ranges[at % ranges.length],
            of: names,
            computedBy: 'database',
          },
        })
        expect(columnNamed(`Hashed${at}`, 'hash')?.source).toEqual({
          kind: 'hash',
          algorithm: ofAlgorithm(at),
          of: names,
          computedBy: 'database',
        })
      },
    )

    it('recognizes the shard of a parent as the inherited shard of its child and grandchild', () => {
      const source = columnNamed('Parent', 'shard')?.source
      expect(source).toMatchObject({ kind: 'shard', shards: 4 })
      for (const child of ['Child', 'Grandchild']) {
        expect(columnNamed(child, 'shard')).toEqual({ ...columnNamed('Parent', 'shard'), inherited: true })
        expect(columnNamed(child, 'shard')?.source).toBe(source)
      }
    })

    it('returns a shard that is not the first key part, or has another expression, as a generated column', () => {
      for (const name of ['Later', 'Foreign']) {
        expect(columnNamed(name, 'shard')).not.toHaveProperty('source')
        expect(columnNamed(name, 'shard')?.generated).toMatchObject({ stored: true })
      }
    })

    it('recognizes a virtual shard column that only one index uses as the shard of this index', () => {
      const { columns: all, indexes } = tableNamed('Indexed')
      expect(all.map(({ name }) => name)).toEqual([
        ...columns.map(({ name }) => name),
        'shared',
        'kept',
        'shifted',
        'stored_along',
        'required',
      ])
      expect(indexes.find(({ name }) => name === 'Own')).toEqual({
        name: 'Own',
        parts: [{ property: 'moment', order: 'asc' }],
        unique: false,
        nullFiltered: false,
        notNull: [],
        storing: [],
        shard: { column: 'own', shards: 4, of: ['id'] },
      })
      expect(indexes.filter((index) => index.shard).map(({ name }) => name)).toEqual(['Own'])
    })
  },
)

describe('introspection of mirror columns in the PostgreSQL dialect, which has no descending keys', () => {
  const { defined, table } = postgreSql
  const at = column('at', { kind: 'timestamp' })
  const number = column('Number', { kind: 'int64' })
  const mirror = (of: HashedColumn, name = mirrorName(of.name)): string =>
    defined(column(name, { kind: 'int64' }), { as: mirrorExpression(of.name, of.type.kind)!, stored: true })
  const mirrored = [at, number, day].flatMap((each) => [mirror(each), defined(each)])
  const key = [at, number, day].flatMap(({ name }) => [mirrorName(name), name])

  let schema: Schema

  beforeAll(async () => {
    schema = await schemaMadeBy(spannerPostgresql, [
      table('Mirrored', mirrored, key),
      table('MirroredChild', [...mirrored, defined(id), mirror(id)], [...key, 'id_desc', 'id'], 'Mirrored'),
      table('Away', [mirror(at), defined(id), defined(at)], ['at_desc', 'id', 'at']),
      table('Named', [mirror(at, 'down'), defined(at)], ['down', 'at']),
      table('Used', [mirror(at), defined(at)], ['at_desc', 'at']),
      postgreSql.index('UsesMirror', 'Used', ['at_desc']),
    ])
  })

  it('replaces a mirror column beside its column in the key by the order desc', () => {
    const parent = schema.tables.find(({ name }) => name === 'Mirrored')
    const child = schema.tables.find(({ name }) => name === 'MirroredChild')
    const parts = ['at', 'Number', 'day'].map((property) => ({ property, order: 'desc' }))
    expect(parent?.primaryKey).toEqual(parts)
    expect(parent?.columns.map(({ name }) => name)).toEqual(['at', 'Number', 'day'])
    expect(child?.primaryKey).toEqual([...parts, { property: 'id', order: 'desc' }])
    expect(child?.columns.map(({ name, inherited }) => [name, inherited])).toEqual([
      ['at', true],
      ['Number', true],
      ['day', true],
      ['id', false],
    ])
  })

  it('keeps a mirror column that lies apart, has another name or is used by an index as a generated column', () => {
    for (const name of ['Away', 'Named', 'Used']) {
      const { columns: all, primaryKey } = schema.tables.find((each) => each.name === name)!
      expect(all.filter(({ generated }) => generated?.stored)).toHaveLength(1)
      expect(primaryKey.map(({ order }) => order)).toEqual(primaryKey.map(() => 'asc'))
    }
  })
})
