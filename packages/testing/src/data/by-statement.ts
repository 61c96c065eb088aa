import type { Database } from '@isotherm/core'
import type { Traits } from '../part.js'

/** What a database and a transaction have in common. */
export type Statements = Pick<Database, 'insert' | 'update' | 'upsert' | 'delete' | 'get'>

/** Work by statement in a transaction where there is one, so that both ways are tried; else by the same calls without. */
export function byStatement(
  db: Database,
  { transactions }: Pick<Traits, 'transactions'>,
): <Result>(work: (on: Statements) => Promise<Result>) => Promise<Result> {
  return (work) => (transactions ? db.transaction((tx) => work(tx as never)) : work(db))
}

/** Of rows in several partitions, which are several commits where a commit is one partition. */
export const split = { allowMultipleCommits: true } as const

/** The same for calls of `byStatement`: a transaction is one commit, and takes no such option. */
export function splitByStatement({ transactions }: Pick<Traits, 'transactions'>): typeof split {
  return (transactions ? undefined : split) as typeof split
}
