import { setTimeout as delay } from 'node:timers/promises'
import { compileDdl, defineSchema, openDatabase, type Database, type SqlDialect } from '@isotherm/core'
import type { SpannerEmulator } from '@isotherm/core/engines'
import {
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  native,
  sequenceTable,
  type PooledSequence,
  type Ranges,
} from '@isotherm/core/sequences'
import { spanner } from '@isotherm/core/spanner'

/** What each mode takes its numbers by. */
export const MODES = {
  sync: 'in the application transaction, one number (S1)',
  'sync-batch': 'in the application transaction, --batch numbers at once (S2)',
  async: 'in a transaction of its own, before the application transaction (S3)',
  batch: 'from a range of --batch numbers (S4)',
  'async-batch': 'from ranges that are fetched in the background (S5)',
  native: "from the database's own sequence, in ranges as well",
  naive: 'as sync, by a read and a write of its own, and whoever collides begins again',
  plain: 'from a counter in memory: what the simulated transactions alone allow',
} as const

export type Mode = keyof typeof MODES

export interface Sizes {
  /** Numbers in a range, or in a transaction. */
  readonly batch: number
  readonly lowWater: number
  readonly ranges: 'fixed' | 'adaptive'
  /** Milliseconds of the simulated application transaction. */
  readonly transactionMs: number
}

/** What a caller does again and again: takes numbers, and does the work that they are for. */
export interface Work {
  /** Numbers that one call takes. */
  readonly perCall: number
  call(): Promise<readonly bigint[]>
  close(): Promise<void>
}

const sequences = sequenceTable()
const schema = defineSchema([sequences], { sequences: [{ name: 'native_numbers' }] })

/** A database with a table of sequences. */
export async function sequenceDatabase(emulator: SpannerEmulator, dialect: SqlDialect): Promise<Database> {
  const database = await emulator.database({ ddl: compileDdl(schema, { dialect }), dialect })
  return openDatabase({ driver: spanner(database, { dialect }), schema })
}

/** @param name of the sequence, which is made */
export async function openWork(mode: Mode, db: Database, name: string, sizes: Sizes): Promise<Work> {
  switch (mode) {
    case 'sync':
      return inApplication(db, name, 1, sizes)
    case 'sync-batch':
      return inApplication(db, name, sizes.batch, sizes)
    case 'async':
      return beforeApplication(await made(asynchronous(db, name)), sizes)
    case 'batch':
      return beforeApplication(await made(batch(db, name, { size: sizes.batch })), sizes)
    case 'async-batch':
      return beforeApplication(await made(asynchronousBatch(db, name, { ranges: rangesOf(sizes) })), sizes)
    case 'native': {
      // The database has its own bounds for how many numbers one statement makes: adaptive ranges keep to them.
      const options = sizes.ranges === 'adaptive' ? {} : { ranges: rangesOf(sizes) }
      return beforeApplication(native(db, 'native_numbers', options), sizes)
    }
    case 'naive':
      return naiveWork(db, name, sizes)
    case 'plain':
      return plainWork(sizes)
  }
}

export function rangesOf({ ranges, batch: size, lowWater }: Sizes): Ranges {
  return ranges === 'adaptive' ? 'adaptive' : { size, lowWater }
}

async function inApplication(db: Database, name: string, perCall: number, sizes: Sizes): Promise<Work> {
  const sequence = inTransaction(name)
  await sequence.create(db)
  return {
    perCall,
    call: () =>
      db.transaction(async (tx) => {
        const numbers = await sequence.take(tx, perCall)
        await delay(sizes.transactionMs)
        return numbers
      }),
    close: async () => {},
  }
}

async function naiveWork(db: Database, name: string, { transactionMs }: Sizes): Promise<Work> {
  await inTransaction(name).create(db)
  return {
    perCall: 1,
    call: () =>
      db.transaction(
        async (tx) => {
          const row = await tx.get(sequences, { name })
          await tx.update(sequences, { name, nextValue: row!.nextValue + 1n })
          await delay(transactionMs)
          return [row!.nextValue]
        },
        // Some of them are aborted for longer than the usual half minute.
        { deadline: 600_000 },
      ),
    close: async () => {},
  }
}

async function made<Sequence extends PooledSequence & { create(): Promise<boolean> }>(
  sequence: Sequence,
): Promise<Sequence> {
  await sequence.create()
  return sequence
}

function beforeApplication(sequence: PooledSequence, { transactionMs }: Sizes): Work {
  return {
    perCall: 1,
    async call() {
      const number = await sequence.next()
      await delay(transactionMs)
      return [number]
    },
    close: () => sequence.close(),
  }
}

function plainWork({ transactionMs }: Sizes): Work {
  let last = 0n
  // As asynchronous as `next()` is, so that the two loops differ by the sequence alone.
  const next = async (): Promise<bigint> => ++last
  return {
    perCall: 1,
    async call() {
      const number = await next()
      await delay(transactionMs)
      return [number]
    },
    close: async () => {},
  }
}
