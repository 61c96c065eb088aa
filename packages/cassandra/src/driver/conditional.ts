import {
  type Cells,
  type ConditionalWrites,
  type Mutation,
  type PhysicalColumn,
  type Wire,
  type WriteCallOptions,
  staticColumns,
} from '@isotherm/core/engine'
import type { CqlStatements } from '../cql/statements.js'
import type { Session } from './execute.js'
import { checkKeyLengths } from './key-lengths.js'
import { foundCells, isApplied, leavesNulls } from './writes.js'
import { readRows } from './ranges.js'

/**
 * Writes of one row that depend on its current values: lightweight transactions.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/dml.html#insert-statement
 */
export function conditionalWrites(session: Session, statements: CqlStatements): ConditionalWrites {
  const read: ConditionalWrites['read'] = (request, options = {}) =>
    readRows(session, statements, request, options, 'serial-read')

  /**
   * Reads the values that the answer did not contain, a moment later.
   *
   * @param names of the table's static columns
   */
  const readFound = async (
    mutation: Mutation,
    columns: readonly PhysicalColumn[],
    names: ReadonlySet<string>,
    options: WriteCallOptions,
  ): Promise<Cells> => {
    const layout = mutation.layout!
    const key = keyPrefix(mutation)
    const { timeoutMs, signal } = options
    const call = { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) }
    const firstOf = async (prefix: Wire[], some: readonly PhysicalColumn[]): Promise<Cells | undefined> => {
      const whole = { start: prefix, startOpen: false, end: prefix, endOpen: false }
      const selection =
        prefix.length === layout.key.length ? { keys: [prefix] } : { ranges: [whole], limit: 1 }
      const [found] = await read({ layout, columns: some, ...selection }, call)
      return found
    }
    const statics = columns.filter(({ name }) => names.has(name))
    if (statics.length < columns.length) {
      const row = await firstOf(key, columns)
      if (row || statics.length === 0) return row ?? columns.map(() => null)
    }
    // They are there whether or not the row is.
    const found = await firstOf(key.slice(0, layout.partition), statics)
    return columns.map((column) => found?.[statics.indexOf(column)] ?? null)
  }

  return {
    kind: 'conditional-writes',
    async writeIf({ mutation, condition }, columns, options = {}) {
      checkKeyLengths(mutation, session)
      const { ttlSeconds } = options
      const statement = statements.writeIf(mutation, condition, {
        ...(ttlSeconds !== undefined && { ttlSeconds }),
      })
      const result = await session.call('once', options, (call) =>
        // A row that must not be there has nothing that its NULLs would have to delete.
        call.write(statement, leavesNulls(mutation, statement) && condition === null),
      )
      if (isApplied(result)) return { applied: true }
      const names = staticColumns(mutation.layout!)
      const reported = foundCells(result, columns, names)
      const found = reported ?? (await readFound(mutation, columns, names, options))
      return { applied: false, found }
    },
    read,
  }
}

/** The key of the mutation's row, as far as it is given: of static columns only the partition's part is. */
function keyPrefix(mutation: Mutation): Wire[] {
  const { layout, op } = mutation
  if (op === 'delete') return [...mutation.keys[0]!]
  const [row] = mutation.rows
  const positions = layout!.key.map(({ column }) => mutation.columns.indexOf(column.name))
  return positions.filter((position) => position >= 0).map((position) => row![position]!)
}
