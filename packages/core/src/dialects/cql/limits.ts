import { describeFindings, firstPlace, IsothermError, type SchemaFinding } from '../../errors.js'
import type { Schema } from '../../model/schema.js'
import type { Table } from '../../model/table.js'
import type { CqlCapabilities } from './capabilities.js'
import { columnFindings } from './column-limits.js'
import { foldFindings } from './fold.js'
import { indexFindings } from './index-limits.js'
import type { LaidIn } from './types.js'

// What CQL does not have, or a target leaves out: told when a schema is compiled, and not in production.

/** @throws {IsothermError} `UNSUPPORTED` with everything that a schema asks for and the target does not have. */
export function refuseUnsupported(schema: Schema, has: CqlCapabilities): void {
  refuse([...objectFindings(schema), ...schema.tables.flatMap((table) => tableFindings(table, schema, has))])
}

/** @throws {IsothermError} `UNSUPPORTED` with everything that a table asks for and the target does not have. */
export function refuseTable(table: Table, schema: LaidIn, has: CqlCapabilities): void {
  refuse(tableFindings(table, schema, has))
}

function refuse(findings: readonly SchemaFinding[]): void {
  const [first, ...others] = findings
  if (!first) return
  const { table, column, message, fix } = first
  const where = column === undefined ? table : `${table}.${column}`
  throw new IsothermError(
    'UNSUPPORTED',
    others.length === 0 ? `${where} ${message}` : describeFindings('CQL does not have all of this', findings),
    { ...firstPlace(findings), ...(others.length === 0 && { fix }) },
  )
}

/** What is not of one table. */
function objectFindings({ namespaces, sequences, views, changeStreams }: Schema): SchemaFinding[] {
  return [
    ...namespaces.map((table) => ({
      table,
      message: 'is a named schema, and a keyspace has none within it.',
      fix: 'Take it away, and give each keyspace a driver of its own.',
    })),
    ...sequences.map(({ name }) => ({
      table: name,
      message: 'is a sequence of the database, and CQL counts nothing.',
      fix: 'Use a counter of the client: asynchronousBatch(db, name).',
    })),
    ...views.map(({ name }) => ({
      table: name,
      message: 'is a view, and those of CQL are tables of their own.',
      fix: 'Keep a table with that key, written beside this one.',
    })),
    ...changeStreams.map(({ name }) => ({
      table: name,
      message: 'is a change stream, which CQL does not have.',
      fix: 'Take it away, or read the changes where the cluster logs them.',
    })),
  ]
}

// Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/TTL-how-it-works.html; Cassandra refuses more, too.
const LONGEST_LIFE = 630_720_000

function tableFindings(table: Table, schema: LaidIn, has: CqlCapabilities): SchemaFinding[] {
  const of = (message: string, fix: string): SchemaFinding => ({ table: table.name, message, fix })
  const { timeToLive = 0, expect } = table
  return [
    ...(table.name.includes('.')
      ? [of('is in a named schema, and a keyspace has none within it.', 'Give it a name without a dot.')]
      : []),
    ...(timeToLive > LONGEST_LIFE
      ? [
          of(
            `lets rows live ${timeToLive} seconds.`,
            `The longest life is 20 years: ${LONGEST_LIFE} seconds.`,
          ),
        ]
      : []),
    ...table.checks.map(({ name }) =>
      of(
        `has the check ${name}, and CQL checks nothing.`,
        'Take it away, and check values before they are written.',
      ),
    ),
    ...table.foreignKeys.map(({ name }) =>
      of(
        `has the foreign key ${name}, and CQL does not know that rows refer to each other.`,
        'Take it away; the application keeps both rows.',
      ),
    ),
    ...(table.rowDeletion
      ? [
          of(
            `deletes rows by the time in ${table.rowDeletion.property}, which CQL does not.`,
            `Use timeToLive: ${table.rowDeletion.days * 86_400}, counted from the write.`,
          ),
        ]
      : []),
    ...(has.rowBytes !== undefined && (expect?.rowBytes ?? 0) > has.rowBytes
      ? [
          of(
            `expects rows of ${expect!.rowBytes} bytes, and the most that a row may hold are ${has.rowBytes}.`,
            'Keep what is large elsewhere, or split it over several rows.',
          ),
        ]
      : []),
    ...interleavingFindings(table, schema),
    ...columnFindings(table, has),
    ...table.indexes.flatMap((index) => indexFindings(table, index, has)),
  ]
}

function interleavingFindings(table: Table, schema: LaidIn): SchemaFinding[] {
  const parent = schema.tables.find(({ name }) => name === table.parent?.table)
  if (!parent || !table.parent) return []
  const of = (message: string, fix: string): SchemaFinding => ({ table: table.name, message, fix })
  const cascades = table.parent.onDelete === 'cascade'
  if (table.rows === 'own') {
    return cascades
      ? [
          of(
            `does not go with the rows of ${parent.name}: it is another table.`,
            "Take onDelete: 'cascade' away, and delete the rows of both.",
          ),
        ]
      : []
  }
  const findings = foldFindings(table, schema)
  if (findings.length > 0) return findings
  const counting = [parent, table].find(({ columns }) => columns.some(({ type }) => type.kind === 'counter'))
  return [
    ...(counting
      ? [
          of(
            `lies in one table with ${parent.name}, and ${counting.name} has counters, beside which nothing can be.`,
            "Say rows: 'own'.",
          ),
        ]
      : []),
    ...(cascades
      ? []
      : [
          of(
            `would go with the rows of ${parent.name}: a partition is deleted as a whole.`,
            "Say onDelete: 'cascade', or rows: 'own'.",
          ),
        ]),
  ]
}
