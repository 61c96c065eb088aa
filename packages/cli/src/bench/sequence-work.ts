import { type Database, type DialectRuntime, type Schema, defineSchema } from '@isotherm/core'
import { threadId } from 'node:worker_threads'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type RangeSequence,
  type Ranges,
  asynchronous,
  asynchronousBatch,
  batch,
  inTransaction,
  native,
  sequenceTable,
} from '@isotherm/core/sequences'
import type { SequenceMode } from './sequence-modes.js'

export interface SequenceSizes {
  /** Numbers in a range, or in a transaction. */
  readonly batch: number
  readonly lowWater: number
  readonly ranges: 'fixed' | 'adaptive'
  /** Milliseconds of the simulated application transaction. */
  readonly transactionMs: number
}

/** The repeated work of a caller: takes numbers, and does the work that they are for. */
export interface SequenceWork {
  /** Numbers that one call takes. */
  readonly perCall: number
  call(): Promise<readonly bigint[]>
  close(): Promise<void>
}

/** The table and sequence that the load tool makes. No other program should use these names. */
export const BENCH_TABLE = 'isotherm_bench_sequences'
const BENCH_SEQUENCE = 'isotherm_bench_numbers'

const sequences = sequenceTable(BENCH_TABLE)
const IN_TABLE = { table: BENCH_TABLE }

/** The table of the sequences, and a sequence of the database's own if the dialect has such. */
export function benchSchema(dialect: DialectRuntime): Schema {
  return defineSchema([sequences], !dialect.sql ? {} : { sequences: [{ name: BENCH_SEQUENCE }] })
}

/** @param name of the sequence, which is made */
export async function openSequenceWork(
  mode: SequenceMode,
  db: Database,
  name: string,
  sizes: SequenceSizes,
): Promise<SequenceWork> {
  switch (mode) {
    case 'sync':
      return inApplication(db, name, 1, sizes)
    case 'sync-batch':
      return inApplication(db, name, sizes.batch, sizes)
    case 'async':
      return beforeApplication(await made(asynchronous(db, name, IN_TABLE)), sizes)
    case 'batch':
      return beforeApplication(await made(batch(db, name, { size: sizes.batch, ...IN_TABLE })), sizes)
    case 'async-batch':
      return beforeApplication(
        await made(asynchronousBatch(db, name, { ranges: rangesOf(sizes), ...IN_TABLE })),
        sizes,
      )
    case 'native': {
      // The database has its own bounds for how many numbers one statement makes: adaptive ranges keep to them.
      const options = sizes.ranges === 'adaptive' ? {} : { ranges: rangesOf(sizes) }
      return beforeApplication(native(db, BENCH_SEQUENCE, options), sizes)
    }
    case 'naive':
      return naiveWork(db, name, sizes)
    case 'plain':
      return plainWork(sizes)
  }
}

function rangesOf({ ranges, batch: size, lowWater }: SequenceSizes): Ranges {
  return ranges === 'adaptive' ? 'adaptive' : { size, lowWater }
}

async function inApplication(
  db: Database,
  name: string,
  perCall: number,
  sizes: SequenceSizes,
): Promise<SequenceWork> {
  const sequence = inTransaction(name, IN_TABLE)
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

async function naiveWork(
  db: Database,
  name: string,
  { transactionMs }: SequenceSizes,
): Promise<SequenceWork> {
  await inTransaction(name, IN_TABLE).create(db)
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
        { timeoutMs: 600_000 },
      ),
    close: async () => {},
  }
}

async function made<Sequence extends RangeSequence & { create(): Promise<boolean> }>(
  sequence: Sequence,
): Promise<Sequence> {
  await sequence.create()
  return sequence
}

function beforeApplication(sequence: RangeSequence, { transactionMs }: SequenceSizes): SequenceWork {
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

function plainWork({ transactionMs }: SequenceSizes): SequenceWork {
  // Each thread has a counter of its own, and two threads must not return the same number.
  let last = (BigInt(process.pid) << 40n) + (BigInt(threadId) << 32n)
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
