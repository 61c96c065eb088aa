import { strictEqual } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import type { Benchmark } from './benchmark.js'
import { compare } from './harness.js'

const TABLES = 1_000
const COLUMNS = 20
const MAX_MILLISECONDS = 500

export const diff: Benchmark = {
  name: 'diff',
  title: `the difference of two schemas of ${TABLES.toLocaleString('en')} tables with ${COLUMNS} columns, against a comparison of their data`,
  async run() {
    // As a command has them: one was read from a snapshot, and nothing of either has been compiled.
    const before = JSON.parse(JSON.stringify(schemaOf(100))) as Schema
    const after = schemaOf(200)
    const differ = () => diffSchemas(before, after, { dialect: googlesql })
    const begun = performance.now()
    const { changes } = differ()
    const first = performance.now() - begun
    strictEqual(changes.length, TABLES / 10, 'Each tenth table has a column that is longer now.')
    const comparison = await compare({
      name: 'a longer column in each tenth table',
      per: 'diff',
      operations: 1,
      turns: 2,
      rounds: 9,
      warmUp: 1,
      targets: {},
      // Table by table, since it ends at the first difference.
      raw: () =>
        Promise.resolve(before.tables.map((table, at) => isDeepStrictEqual(table, after.tables[at]))),
      ours: () => Promise.resolve(differ()),
    })
    const met = first <= MAX_MILLISECONDS ? 'met' : 'MISSED'
    return [
      {
        ...comparison,
        notes: [`the first of the process ${Math.round(first)} ms; at most ${MAX_MILLISECONDS}: ${met}`],
      },
    ]
  },
}

/** @param length of a column in each tenth table */
function schemaOf(length: number): Schema {
  return defineSchema(
    Array.from({ length: TABLES }, (_, table) =>
      defineTable(`Table${table}`, (t) => ({
        shardId: t.shardKey({ shards: 16, of: ['id'] }),
        id: t.uuidV4(),
        ...Object.fromEntries(
          Array.from({ length: COLUMNS - 2 }, (_, column) => [
            `column${column}`,
            column === 7 && table % 10 === 0
              ? t.string({ length, nullable: true })
              : t.int64({ nullable: true }),
          ]),
        ),
      })),
    ),
  )
}
