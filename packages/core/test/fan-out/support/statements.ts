import type { CallOptions, Capability, SqlDialect, Driver } from '@isotherm/core'
import type { Statement } from '../../../src/layout/statement.js'
import type { Cells } from '../../../src/engine/driver.js'
import { SERVICE_COSTS } from '../../../../spanner/src/driver/reachability.js'

export interface StatementCall {
  readonly statement: Statement
  readonly types: readonly { readonly kind: string }[]
  readonly call: CallOptions | undefined
}

/** A driver without a database: it records the statements, and returns the given answers. */
export function statementDriver(
  dialect: SqlDialect,
  answer: (call: StatementCall) => Promise<Cells[]> = () => Promise.resolve([]),
  lacks: readonly Capability[] = [],
): Driver & { readonly calls: StatementCall[] } {
  const calls: StatementCall[] = []
  const refuse = (): never => {
    throw new Error('This driver only runs statements.')
  }
  return {
    name: 'statements',
    system: 'test',
    dialect,
    costs: SERVICE_COSTS,
    lacks,
    takes: ['at', 'directedReads', 'priority', 'tag'],
    calls,
    query(statement, types, call) {
      const each = { statement, types, call }
      calls.push(each)
      return answer(each)
    },
    read: refuse,
    run: refuse,
    snapshot: refuse,
    writes: { commit: refuse, maxRows: refuse },
    atomic: { kind: 'transactions', run: refuse },
    applyDdl: refuse,
    readDdl: refuse,
  }
}
