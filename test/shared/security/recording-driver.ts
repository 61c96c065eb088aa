import type { Driver, SqlDialect, Transactions } from '@isotherm/core'
import { type Mutation, StatementWrites } from '@isotherm/core/engine'
import { spannerWrites } from '../../../packages/spanner/src/driver/writes.js'

type ReadRequest = Parameters<Driver['read']>[0]
type Statement = Parameters<Driver['query']>[0]
type Type = Parameters<Driver['query']>[1][number]
type Cells = Awaited<ReturnType<Driver['read']>>[number]

/** The recorded calls of a driver. */
export interface Recorded {
  readonly statements: Statement[]
  readonly reads: ReadRequest[]
  readonly mutations: Mutation[]
}

export interface RecordingDriver {
  readonly driver: Driver
  /** The calls since the last `take()`. */
  take(): Recorded
  /** Sets the rows of the next read or query. */
  answerNext(rows: (types: readonly Type[]) => Cells[]): void
}

/** The part of a write that is sent: the rows in the form of the user are for errors only. */
function sent(mutation: Mutation): Mutation {
  const recorded: Mutation & { values?: unknown } = { ...mutation }
  delete recorded.values
  return recorded
}

/** A driver without a database: it records its calls, and returns no rows. */
export function recordingDriver(dialect: SqlDialect): RecordingDriver {
  let recorded: Recorded = { statements: [], reads: [], mutations: [] }
  let next: ((types: readonly Type[]) => Cells[]) | undefined
  const answer = (types: readonly Type[]): Cells[] => {
    const rows = next?.(types) ?? []
    next = undefined
    return rows
  }
  const reader = {
    read: async (request: ReadRequest) => {
      recorded.reads.push(request)
      return answer(request.columns.map(({ type }) => type))
    },
    query: async (statement: Statement, types: readonly Type[]) => {
      recorded.statements.push(statement)
      return answer(types)
    },
    run: async (statement: Statement) => {
      recorded.statements.push(statement)
      return { columns: [], rows: [] }
    },
  }
  const calls = {
    ...reader,
    returning: reader.query,
    execute: async (statements: readonly Statement[]) => {
      recorded.statements.push(...statements)
      return statements.map(() => 1)
    },
    buffer: (mutations: readonly Mutation[]) => void recorded.mutations.push(...mutations.map(sent)),
  }
  const transaction: Transactions['run'] = async (work) => {
    const rows = new StatementWrites(calls, dialect)
    const value = await work({ ...calls, write: (...args) => rows.write(...args) })
    return { value, commitTimestamp: new Date(0) }
  }
  const driver: Driver = {
    name: 'No database',
    system: 'none',
    dialect,
    costs: {
      roundTrip: 1,
      call: 0.1,
      statement: 1,
      range: 0.1,
      row: 0.001,
      scannedRow: 0.001,
      statementsScan: false,
      concurrency: 8,
      inFlight: 100,
    },
    lacks: [],
    takes: ['at', 'directedReads', 'priority', 'tag'],
    ...reader,
    snapshot: async () => ({ readTimestamp: new Date(0), ...reader, close: () => {} }),
    writes: spannerWrites({
      dialect,
      lacks: [],
      commit: async (mutations) => {
        recorded.mutations.push(...mutations.map(sent))
        return { commitTimestamp: new Date(0) }
      },
      transaction,
    }),
    atomic: { kind: 'transactions', run: transaction },
    applyDdl: async () => {},
    readDdl: async () => [],
  }
  return {
    driver,
    take() {
      const taken = recorded
      recorded = { statements: [], reads: [], mutations: [] }
      return taken
    },
    answerNext: (rows) => void (next = rows),
  }
}
