// Compiled, never run: what a commit returns follows from the driver.
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

/** A driver that always returns a commit timestamp makes it a required property. */
const onSpanner = openDatabase({ driver: transactional, schema })
const onCassandra = openDatabase({ driver: partitioned, schema })
const anywhere = openDatabase({ driver: some, schema })

export const reported: Promise<Commit<Date>>[] = [onSpanner.update('a', {}), onSpanner.delete('a', {})]

type Updated<Db extends Database> = Awaited<ReturnType<Db['update']>>['commitTimestamp']
export type Tells = Expect<Equal<Updated<typeof onSpanner>, Date>>
export type NeverTells = Expect<Equal<Updated<typeof onCassandra>, undefined>>
export type MayTell = Expect<Equal<Updated<typeof anywhere>, Date | undefined>>

// This driver has all that transactions need; with other drivers the code has to check.
export const snapshot = onSpanner.driver.snapshot()
// @ts-expect-error this driver may lack snapshots
export const none = onCassandra.driver.snapshot()

export const each: readonly Database[] = [onSpanner, onCassandra, anywhere]
