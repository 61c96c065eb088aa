import { describeFindings, firstPlace, IsothermError, type SchemaFinding } from '../../errors.js'
import { derivedFill } from '../../database/derived.js'
import { pairObstacles } from '../../database/dual-writes-pair.js'
import type { Dialect } from '../../dialects/dialect.js'
import { keyFields } from '../../dialects/layout.js'
import { findTable, type Schema } from '../../model/schema.js'
import { sqlFor } from '../../model/sql-expression.js'
import { columnOf } from '../../model/table.js'
import { sameData } from '../same-data.js'
import type { NewTree } from './tree.js'

/** @throws {IsothermError} `UNSUPPORTED` with everything that a plan could not do without a loss. */
export function refuseUnsafe(from: Schema, tree: NewTree, dialect: Dialect): void {
  const findings = [
    ...unchanged(from, tree),
    ...pairs(from, tree, dialect),
    ...functions(from, tree, dialect),
    ...foreignKeys(from, tree),
    ...views(from, tree, dialect),
  ]
  if (findings.length === 0) return
  throw new IsothermError(
    'UNSUPPORTED',
    describeFindings('The key cannot be changed', findings),
    firstPlace(findings),
  )
}

function unchanged(from: Schema, { tables, made }: NewTree): SchemaFinding[] {
  const [root] = made
  const old = findTable(from, tables[0]!.from)!
  const told = ({ primaryKey, columns }: typeof old): string =>
    JSON.stringify(
      primaryKey.map((part) => [part, columns.find(({ property }) => property === part.property)]),
    )
  if (told(old) !== told(root!)) return []
  return [
    {
      table: old.name,
      message: `has the key of ${root!.name}.`,
      fix: 'Change the key, or the shards, in the model first.',
    },
  ]
}

function pairs(from: Schema, { tables, made }: NewTree, dialect: Dialect): SchemaFinding[] {
  return tables.flatMap((pair, at) => {
    const old = dialect.layout(findTable(from, pair.from)!)
    return pairObstacles(old, dialect.layout(made[at]!)).map((obstacle) => ({
      table: pair.from,
      ...obstacle,
    }))
  })
}

/** Rows are copied by what a snapshot holds, and it holds no function. What the old table's row has already is copied as it is. */
function functions(from: Schema, { tables, made }: NewTree, dialect: Dialect): SchemaFinding[] {
  return tables.flatMap((pair, at) => {
    const old = findTable(from, pair.from)!
    return keyFields(dialect.layout(made[at]!)).flatMap((field): SchemaFinding[] => {
      const { property } = field.column
      const fill = derivedFill(field)
      if (fill?.by !== 'shard') return []
      const { expression, ownFunction } = fill.source
      const isSame = sameData(columnOf(old, property)?.source, fill.source)
      if (!ownFunction && (expression === undefined || isSame)) return []
      return [
        {
          table: pair.from,
          column: property,
          message: `is computed by a function of the model in ${pair.to}, which the migrations that copy and compare rows do not have.`,
          fix: 'Let it be the hash of the same columns, without `compute`; or copy the rows in the application, under dualWrites.',
        },
      ]
    })
  })
}

/** A key that refers to a table keeps it from being dropped, and cannot refer to two. */
function foreignKeys(from: Schema, { tables, made }: NewTree): SchemaFinding[] {
  const moving = new Set(tables.map((pair) => pair.from))
  return [...from.tables, ...made].flatMap(({ name, foreignKeys: keys }) =>
    keys
      .filter(({ table }) => moving.has(table))
      .map((key) => ({
        table: name,
        message: `refers to ${key.table} by the foreign key ${key.name}.`,
        fix: `Drop that foreign key in a migration before, and add it again, to ${tables.find((pair) => pair.from === key.table)!.to}, in one after.`,
      })),
  )
}

function views(from: Schema, { tables }: NewTree, { name: dialect }: Dialect): SchemaFinding[] {
  return from.views.flatMap(({ name, query }) => {
    const text = (sqlFor(query, dialect) ?? '').toLowerCase()
    const read = tables.find((pair) => new RegExp(`\\b${escaped(pair.from.toLowerCase())}\\b`).test(text))
    if (!read) return []
    return [
      {
        table: read.from,
        message: `is read by the view ${name}.`,
        fix: `Drop the view in a migration before, and make it again, over ${read.to}, in one after.`,
      },
    ]
  })
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
