import { defineSchema, sql } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { type CompiledTable, CompiledTables } from '../../src/rows/compiled-table.js'
import type { Cells, ReadRequest, TransactionContext } from '../../src/engine/driver.js'
import { StatementWrites } from '../../src/sql/row-statements.js'
import { completeRows, prepareRows } from '../../src/write/write.js'
import type { Statement } from '../../src/layout/statement.js'
import { type LogTable, dialects, logTable } from '../support/layout.js'

// Which statements rows become, and how values that the database made come back. What the statements do is tested on the
// engine, in test/database: the answers in this file come from the tests.

interface Recorded {
  readonly context: Omit<TransactionContext, 'write'>
  readonly returning: Statement[]
  readonly executed: Statement[]
  readonly reads: ReadRequest[]
  readonly queried: Statement[]
}

/** Answers returning statements, reads and queries, each from the front of a list. */
function recording(answers: Cells[][] = [], found: Cells[][] = [], selected: Cells[][] = []): Recorded {
  const [returning, executed, queried]: Statement[][] = [[], [], []]
  const reads: ReadRequest[] = []
  const [left, leftReads, leftQueries] = [[...answers], [...found], [...selected]]
  const context: Recorded['context'] = {
    returning(statement) {
      returning!.push(statement)
      return Promise.resolve(left.shift()!)
    },
    execute(statements) {
      executed!.push(...statements)
      return Promise.resolve(statements.map(() => 1))
    },
    read(request) {
      reads.push(request)
      return Promise.resolve(leftReads.shift()!)
    },
    query(statement) {
      queried!.push(statement)
      return Promise.resolve(leftQueries.shift()!)
    },
    run: () => Promise.reject(new Error('Only statements of ours are recorded.')),
    buffer: () => {},
  }
  return { context, returning: returning!, executed: executed!, queried: queried!, reads }
}

const values = ({ parameters }: Statement) => parameters.map(({ value }) => value)

describe.each(dialects)('SQL statements of row writes in $name', (dialect) => {
  const compile = (...table: LogTable): CompiledTable =>
    new CompiledTables(defineSchema([logTable(...table)]), dialect).of('Log')

  async function write(
    op: 'insert' | 'upsert',
    table: CompiledTable,
    rows: Record<string, unknown>[],
    { context }: Recorded,
  ) {
    const prepared = await prepareRows(op, table, rows)
    completeRows(prepared, { made: await new StatementWrites(context, dialect).write(prepared.writes) })
    return prepared.rows
  }

  const insert = (table: CompiledTable, rows: Record<string, unknown>[], recorded: Recorded) =>
    write('insert', table, rows, recorded)
  const upsert = (table: CompiledTable, rows: Record<string, unknown>[], recorded: Recorded) =>
    write('upsert', table, rows, recorded)

  describe('an insert', () => {
    it('sends a statement without RETURNING if the client knows all values', async () => {
      const recorded = recording()
      const table = compile((t) => ({ id: t.int64().key(), note: t.string() }))
      await insert(
        table,
        [
          { id: 1n, note: 'a' },
          { id: 2n, note: 'b' },
        ],
        recorded,
      )
      expect(recorded.executed.map(values)).toStrictEqual([['1', 'a', '2', 'b']])
      expect([recorded.returning, recorded.reads]).toStrictEqual([[], []])
    })

    it('fills in the defaults that the database returns, in the order of the rows', async () => {
      const table = compile((t) => ({
        id: t.int64().key(),
        visits: t.int64({ as: 'number', default: 0 }),
        day: t.date({ default: sql`x` }),
      }))
      const recorded = recording([
        [
          [5n, '2026-01-01'],
          [6n, '2026-01-02'],
        ],
      ])
      const rows = await insert(table, [{ id: 1n }, { id: 2n }], recorded)
      expect(rows).toStrictEqual([
        { id: 1n, visits: 5, day: '2026-01-01' },
        { id: 2n, visits: 6, day: '2026-01-02' },
      ])
      expect(recorded.reads).toStrictEqual([])
    })

    it('sends one statement for each group of rows, and fills in the values of the right rows', async () => {
      const table = compile((t) => ({ id: t.int64().key(), visits: t.int64({ default: 0n }) }))
      const recorded = recording([[[5n], [6n]]])
      const rows = await insert(table, [{ id: 1n }, { id: 2n, visits: 9n }, { id: 3n }], recorded)
      expect(rows.map(({ visits }) => visits)).toStrictEqual([5n, 9n, 6n])
      expect(recorded.returning.map(values)).toStrictEqual([['1', '3']])
      expect(recorded.executed.map(values)).toStrictEqual([['2', '9']])
    })

    it('sends several statements if the rows exceed the maximum number of parameters', async () => {
      const table = compile((t) => ({ id: t.int64().key(), a: t.int64(), b: t.int64({ default: 0n }) }))
      const rows = Array.from({ length: 1000 }, (_, at) => ({ id: BigInt(at), a: 0n }))
      const each = Math.floor(dialect.sql.maxParameters / 2)
      const answers = [rows.slice(0, each), rows.slice(each, 2 * each), rows.slice(2 * each)]
      const recorded = recording(answers.map((chunk) => chunk.map(({ id }): Cells => [id + 1n])))
      const inserted = await insert(table, rows, recorded)
      expect(recorded.returning.map(({ parameters }) => parameters.length)).toStrictEqual(
        answers.map((chunk) => 2 * chunk.length),
      )
      expect(inserted.map(({ b }) => b)).toStrictEqual(rows.map(({ id }) => id + 1n))
    })

    it('reads generated columns by key if the dialect cannot return them from the statement', async () => {
      const table = compile((t) => ({
        id: t.int64().key('desc'),
        ref: t.uuid({ storage: 'int64-pair' }).key(),
        visits: t.int64({ as: 'number', default: 0 }),
        next: t.int64({ as: 'number', generated: 'visits + 1' }),
      }))
      const ref = '00000000-0000-0007-0000-000000000008'
      const trusted = dialect.sql.returnsGenerated
      const recorded = recording(
        [
          trusted
            ? [
                [5n, 6n],
                [7n, 8n],
              ]
            : [[5n], [7n]],
        ],
        // By key, in any order: the key, and the generated columns.
        [
          [
            [2n, 7n, 8n, 8n],
            [1n, 7n, 8n, 6n],
          ],
        ],
      )
      const rows = await insert(
        table,
        [
          { id: 1n, ref },
          { id: 2n, ref },
        ],
        recorded,
      )
      expect(rows).toStrictEqual([
        { id: 1n, ref, visits: 5, next: 6 },
        { id: 2n, ref, visits: 7, next: 8 },
      ])
      const mirrors = (id: bigint) => (dialect === spannerPostgresql ? [String(-1n - id)] : [])
      expect(recorded.reads.map(({ keys }) => keys)).toStrictEqual(
        trusted ? [] : [[1n, 2n].map((id) => [...mirrors(id), String(id), '7', '8'])],
      )
      expect(recorded.reads.map(({ columns }) => columns.length)).toStrictEqual(trusted ? [] : [4])
    })

    it('queries a shard that only the database computes by the columns of its expression and the rest of the key', async () => {
      const table = compile((t) => ({
        day: t.shardKey({ shards: 7, of: ['at'], expression: 'at' }),
        at: t.int64({ immutable: true }),
        id: t.int64().key(),
      }))
      const trusted = dialect.sql.returnsGenerated
      const recorded = recording(trusted ? [[[5n], [6n]]] : [], [], [[[5n, 5n, 1n]], [[6n, 6n, 2n]]])
      const rows = [
        { at: 5n, id: 1n },
        { at: 6n, id: 2n },
      ]
      expect(await insert(table, rows, recorded)).toStrictEqual([
        { day: 5n, at: 5n, id: 1n },
        { day: 6n, at: 6n, id: 2n },
      ])
      expect(recorded.queried).toHaveLength(trusted ? 0 : 2)
      // Not by the rest of the key alone: a row with the same rest may exist in another shard.
      for (const [at, statement] of recorded.queried.entries())
        expect(values(statement)).toStrictEqual(expect.arrayContaining([String(at + 1), String(at + 5)]))
      expect(recorded.reads).toStrictEqual([])
    })

    it('uses the value that the statement returns for a generated key column', async () => {
      const table = compile((t) => ({
        day: t.int64({ generated: 'at_day' }).key(),
        at_day: t.int64(),
        id: t.int64().key(),
      }))
      const recorded = recording([[[6n]]])
      expect(await insert(table, [{ at_day: 6n, id: 1n }], recorded)).toStrictEqual([
        { day: 6n, at_day: 6n, id: 1n },
      ])
      expect(recorded.queried).toStrictEqual([])
    })

    it('names a column with DEFAULT if the database fills in all columns of the row', async () => {
      const table = compile((t) => ({ id: t.bitReversedId(), visits: t.int64({ default: 0n }) }))
      const recorded = recording([[[7n, 0n]]])
      expect(await insert(table, [{}], recorded)).toStrictEqual([{ id: 7n, visits: 0n }])
      expect(recorded.returning[0]!.text).toMatch(/\(.id.\) VALUES \(DEFAULT\)/)
    })

    it('names a column outside the key with DEFAULT if the whole key is generated', async () => {
      const table = compile((t) => ({
        day: t.int64({ generated: 'at_day' }).key(),
        at_day: t.int64({ default: 0n }),
      }))
      const recorded = recording([[[0n, 0n]]])
      expect(await insert(table, [{}], recorded)).toStrictEqual([{ day: 0n, at_day: 0n }])
      expect(recorded.returning[0]!.text).toMatch(/\(.at_day.\) VALUES \(DEFAULT\)/)
    })

    it('does not read generated columns by a key that contains the pending commit timestamp', async () => {
      const table = compile((t) => ({
        id: t.int64().key(),
        at: t.timestamp({ default: 'commit' }).key(),
        next: t.int64({ generated: 'id + 1' }),
      }))
      const recorded = recording([[[2n]]], [[]])
      const [row] = await insert(table, [{ id: 1n }], recorded)
      expect(row).toMatchObject({ id: 1n, at: undefined })
      expect(dialect.sql.returnsGenerated ? [2n] : [2n, undefined]).toContain(row!['next'])
    })
  })

  describe('an upsert', () => {
    const generatedKey = () =>
      compile((t) => ({
        shardId: t.shardKey({ shards: 4, of: ['id'] }),
        id: t.int64().key(),
        note: t.string({ nullable: true }),
      }))

    it('sends one INSERT statement if the key is not generated', async () => {
      const recorded = recording()
      const table = compile((t) => ({ id: t.int64().key(), note: t.string({ nullable: true }) }))
      await upsert(
        table,
        [
          { id: 1n, note: 'a' },
          { id: 2n, note: null },
        ],
        recorded,
      )
      expect(recorded.executed.map(values)).toStrictEqual([['1', 'a', '2', null]])
      expect(recorded.reads).toStrictEqual([])
    })

    it('reads the existing rows and sends INSERT and UPDATE in spanner-postgresql if the key is generated', async () => {
      const recorded = recording([], [[[BigInt(shardOf(2n, 4)), 2n, 'old']]])
      const rows = ['a', 'b', 'c'].map((note, at) => ({ id: BigInt(1 + at), note }))
      await upsert(generatedKey(), rows, recorded)
      const verbs = recorded.executed.map(({ text }) => text.split(' ')[0])
      expect([recorded.reads.map(({ keys }) => keys!.length), verbs]).toStrictEqual(
        dialect === spannerPostgresql ? [[3], ['INSERT', 'UPDATE', 'INSERT']] : [[], ['INSERT']],
      )
    })
  })
})
