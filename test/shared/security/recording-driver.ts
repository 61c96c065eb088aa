import type { SqlDialect, Driver } from '@isotherm/core'

type ReadRequest = Parameters<Driver['read']>[0]
type Statement = Parameters<Driver['query']>[0]
type Type = Parameters<Driver['query']>[1][number]
type Mutation = Parameters<Driver['write']>[0][number]
type Cells = Awaited<ReturnType<Driver['read']>>[number]

/** What a driver has been asked for. */
export interface Recorded {
  readonly statements: Statement[]
  readonly reads: ReadRequest[]
  readonly mutations: Mutation[]
}

export interface RecordingDriver {
  readonly driver: Driver
  /** What was asked for since the last time. */
  take(): Recorded
  /** Rows to give to the next read or query. */
  answerNext(rows: (types: readonly Type[]) => Cells[]): void
}

/** A driver of no database: it writes down what it is asked for, and says that there are no rows. */
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
    write: async (mutations) => {
      recorded.mutations.push(...mutations)
      return { commitTimestamp: new Date(0) }
    },
    transaction: async (work) => {
      const value = await work({
        ...reader,
        returning: reader.query,
        execute: async (statements) => {
          recorded.statements.push(...statements)
          return statements.map(() => 1)
        },
        buffer: (mutations) => void recorded.mutations.push(...mutations),
      })
      return { value, commitTimestamp: new Date(0) }
    },
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
