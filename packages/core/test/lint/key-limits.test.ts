import type { ColumnType, SqlDialect } from '@isotherm/core'
import { spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { findingsOf, live, verdicts, type LiveTable } from './support/live.js'

const found = (table: LiveTable, dialect?: SqlDialect) =>
  findingsOf('spanner/key-limits', live({ T: table }), dialect)

function named(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`)
}

function int64s(names: readonly string[]): LiveTable['columns'] {
  return Object.fromEntries(names.map((name) => [name, 'int64' as const]))
}

const text = (length: number | 'max') => ({ type: { kind: 'string', length } satisfies ColumnType })

describe('spanner/key-limits', () => {
  it('reports a primary key of 17 columns, and accepts 16', () => {
    const names = named('c', 17)
    expect(found({ columns: int64s(names), key: names.slice(0, 16) })).toStrictEqual([])
    expect(found({ columns: int64s(names), key: names })).toMatchObject([
      { severity: 'error', table: 'T', message: 'The primary key has 17 columns, and a key up to 16.' },
    ])
  })

  it('counts each database column of a key part that takes two, and the mirror column of a descending timestamp', () => {
    const columns = {
      ...int64s(named('c', 15)),
      u: { type: { kind: 'uuid', storage: 'int64-pair' } },
      t: 'timestamp',
    } as const
    expect(found({ columns, key: [...named('c', 15), 'u'] })).toHaveLength(1)
    expect(found({ columns, key: [...named('c', 14), 'u'] })).toStrictEqual([])
    const key = [...named('c', 15), 't desc']
    expect(found({ columns, key })).toStrictEqual([])
    expect(found({ columns, key }, spannerPostgresql)).toHaveLength(1)
  })

  it('counts the key of the table and the shard column toward the limit of 16 columns of an index', () => {
    const columns = int64s([...named('k', 9), ...named('x', 8)])
    const index = (on: readonly string[]) => ({ columns, key: named('k', 9), indexes: [{ name: 'I', on }] })
    expect(found(index(named('x', 7)))).toStrictEqual([])
    expect(found(index([...named('k', 9), ...named('x', 7)]))).toStrictEqual([])
    expect(found(index(named('x', 8)))).toMatchObject([{ severity: 'error', index: 'I' }])
    const shard = { column: 'I_shard', shards: 4, of: ['k0'] }
    expect(
      found({ columns, key: named('k', 9), indexes: [{ name: 'I', on: named('x', 7), shard }] }),
    ).toHaveLength(1)
  })

  it('reports a table with more than 1,024 columns or more than 128 indexes', () => {
    const indexes = (count: number) => named('I', count).map((name) => ({ name, on: ['c1'] }))
    expect(found({ columns: int64s(named('c', 1_024)), key: ['c0'], indexes: indexes(128) })).toStrictEqual(
      [],
    )
    expect(found({ columns: int64s(named('c', 1_025)), key: ['c0'] })).toMatchObject([
      { severity: 'error', message: 'T has 1,025 columns; a table has up to 1,024.' },
    ])
    expect(found({ columns: int64s(named('c', 2)), key: ['c0'], indexes: indexes(129) })).toMatchObject([
      { severity: 'error', message: 'T has 129 indexes; a table has up to 128.' },
    ])
  })

  it('warns once about each key part without a length', () => {
    const table: LiveTable = {
      columns: { name: text('max'), other: text('max') },
      key: ['name'],
      indexes: [{ name: 'ByOther', on: ['other'] }],
    }
    expect(verdicts(found(table))).toStrictEqual(['T.name warning', 'ByOther warning'])
    expect(found(table)[0]).toMatchObject({
      message: 'The primary key holds name, which has no length: a row whose key exceeds 8 KiB is refused.',
    })
  })

  it('warns about a key whose declared lengths allow more than 8,192 bytes, and gives the bytes in UTF-8 and ASCII', () => {
    const table = (...lengths: number[]): LiveTable => {
      const names = named('s', lengths.length)
      return { columns: Object.fromEntries(names.map((name, at) => [name, text(lengths[at]!)])), key: names }
    }
    expect(found(table(1024, 1024))).toStrictEqual([])
    const [finding] = found(table(1024, 1025))
    expect(finding).toMatchObject({ severity: 'warning' })
    expect(finding!.message).toBe(
      'The primary key may take 8,196 bytes where every character takes four, and 2,049 in ASCII: a row whose key ' +
        'exceeds 8,192 is refused.',
    )
  })

  it("adds the length of the table's key to that of the index, and reports a key that is too long only once", () => {
    const table = (length: number): LiveTable => ({
      columns: { id: text(1024), title: text(length), id2: text(1025) },
      key: ['id'],
      indexes: [{ name: 'ByTitle', on: ['title'] }],
    })
    expect(found(table(1024))).toStrictEqual([])
    expect(verdicts(found(table(1025)))).toStrictEqual(['ByTitle warning'])
    // The key of the table is already too long without the index, so only the table is reported.
    expect(verdicts(found({ ...table(10), key: ['id', 'id2'] }))).toStrictEqual(['T warning'])
  })

  it('accepts a key with a part of every fixed-size type', () => {
    const kinds = ['bool', 'int64', 'float64', 'numeric', 'date', 'timestamp', 'uuid'] as const
    expect(
      found({ columns: Object.fromEntries(kinds.map((kind) => [kind, kind])), key: kinds }),
    ).toStrictEqual([])
  })
})
