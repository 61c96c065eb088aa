import { googlesql } from '@isotherm/spanner'
import type { SqlDialectRuntime } from '../../src/engine/dialect.js'
import type { Reader, TransactionContext, TransactionalDriver } from '../../src/engine/driver.js'
import { StatementWrites } from '../../src/sql/row-statements.js'
import { SERVICE_COSTS } from '../../../spanner/src/driver/reachability.js'
import { type SpannerWrites, spannerWrites } from '../../../spanner/src/driver/writes.js'

const commitTimestamp = new Date(0)

const reader: Reader = {
  read: async () => [],
  query: async () => [],
  run: async () => ({ columns: [], rows: [] }),
}

/** The calls of a transaction, and rows written by them. */
export function transactionContext(
  calls: Partial<Omit<TransactionContext, 'write'>> = {},
  dialect: SqlDialectRuntime = googlesql,
): TransactionContext {
  const all = { ...reader, returning: async () => [], execute: async () => [], buffer() {}, ...calls }
  const rows = new StatementWrites(all, dialect)
  return { ...all, write: (...args) => rows.write(...args) }
}

/** A driver of Spanner that accepts every write and finds no row: a call that reaches it has passed all checks. */
export function silentDriverWith({
  dialect = googlesql,
  lacks = [],
  commit = async () => ({ commitTimestamp }),
  transaction = async (work) => ({ value: await work(transactionContext({}, dialect)), commitTimestamp }),
}: Partial<SpannerWrites>): TransactionalDriver {
  return {
    ...reader,
    name: 'memory',
    system: 'memory',
    dialect,
    costs: SERVICE_COSTS,
    lacks,
    takes: ['at', 'directedReads', 'priority', 'tag'],
    snapshot: async () => ({ ...reader, readTimestamp: commitTimestamp, close() {} }),
    writes: spannerWrites({ dialect, lacks, commit, transaction }),
    atomic: { kind: 'transactions', run: transaction },
    applyDdl: async () => {},
    readDdl: async () => [],
  }
}

export const silentDriver: TransactionalDriver = silentDriverWith({})
