import type { CallOptions, TransactionalDriver } from '@isotherm/core'
import type { Mutation, ResultSet, Snapshot, Statement, TransactionContext } from '@isotherm/core/adapter'
import { googlesql } from '@isotherm/spanner'

/** One call of the driver. */
export interface Call {
  readonly what: string
  readonly texts?: readonly string[]
  readonly options?: unknown
}

export interface ScriptedDriver extends TransactionalDriver {
  readonly calls: Call[]
  readonly statements: Statement[]
}

const NOTHING: ResultSet = { columns: [], rows: [] }

/** A driver without a database: it answers each statement by the script, and records its calls. */
export function scriptedDriver(
  answer: (statement: Statement) => ResultSet | Error = () => NOTHING,
  /** How many of the first attempts are aborted, so that the work runs again. */
  aborts = 0,
): ScriptedDriver {
  const calls: Call[] = []
  const statements: Statement[] = []
  const run =
    (where: string) =>
    async (statement: Statement, options?: unknown): Promise<ResultSet> => {
      calls.push({ what: `${where}.run`, texts: [statement.text], options })
      statements.push(statement)
      const result = answer(statement)
      if (result instanceof Error) throw result
      return result
    }
  const context = {
    run: run('transaction'),
    async execute(several: readonly Statement[], options?: CallOptions) {
      calls.push({ what: 'transaction.execute', texts: several.map(({ text }) => text), options })
      const results = several.map(answer)
      const failed = results.find((result) => result instanceof Error)
      if (failed) throw failed
      return (results as ResultSet[]).map(({ rowCount = 0 }) => rowCount)
    },
    buffer(mutations: readonly Mutation[]) {
      calls.push({ what: 'transaction.buffer', options: mutations })
    },
  } as unknown as TransactionContext
  let left = aborts
  return {
    calls,
    statements,
    name: 'Script',
    dialect: googlesql,
    run: run('driver'),
    async snapshot(options: unknown) {
      calls.push({ what: 'snapshot', options })
      return {
        run: run('snapshot'),
        close: () => calls.push({ what: 'snapshot.close' }),
      } as unknown as Snapshot
    },
    atomic: {
      kind: 'transactions',
      async run<T>(work: (context: TransactionContext) => Promise<T>, options: CallOptions) {
        calls.push({ what: 'transaction', options })
        for (;;) {
          const value = await work(context)
          if (left-- > 0) continue
          calls.push({ what: 'commit' })
          return { value, commitTimestamp: new Date() }
        }
      },
    },
    async applyDdl(texts: readonly string[], options: unknown) {
      calls.push({ what: 'ddl', texts, options })
    },
    async executePartitioned({ text }: Statement, options: unknown) {
      calls.push({ what: 'partitioned', texts: [text], options })
      return 7
    },
  } as unknown as ScriptedDriver
}
