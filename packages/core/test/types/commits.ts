// Compiled, never run: what is told of a commit follows from the driver.
import {
  openDatabase,
  type Commit,
  type Database,
  type Driver,
  type Schema,
  type TransactionalDriver,
} from '@isotherm/core'
import type { Equal, Expect } from './equal.js'

declare const schema: Schema
declare const transactional: TransactionalDriver
declare const partitioned: Driver<undefined>
declare const some: Driver

/** Whoever always says when a commit took effect need not be asked whether it did. */
const onSpanner = openDatabase({ driver: transactional, schema })
const onCassandra = openDatabase({ driver: partitioned, schema })
const anywhere = openDatabase({ driver: some, schema })

export const told: Promise<Commit<Date>>[] = [onSpanner.update('a', {}), onSpanner.delete('a', {})]

type Updated<Db extends Database> = Awaited<ReturnType<Db['update']>>['commitTimestamp']
export type Tells = Expect<Equal<Updated<typeof onSpanner>, Date>>
export type NeverTells = Expect<Equal<Updated<typeof onCassandra>, undefined>>
export type MayTell = Expect<Equal<Updated<typeof anywhere>, Date | undefined>>

// Its driver has what transactions need; of others it has to be asked for.
export const snapshot = onSpanner.driver.snapshot()
// @ts-expect-error it may have none
export const none = onCassandra.driver.snapshot()

export const each: readonly Database[] = [onSpanner, onCassandra, anywhere]
