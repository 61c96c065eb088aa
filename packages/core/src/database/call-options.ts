import { checkConsistency } from '../dialects/cql/consistency.js'
import type { Dialect } from '../dialects/dialect.js'
import { IsothermError } from '../errors.js'
import { isEngineOption, refuseUntaken } from './capabilities.js'
import type { Driver, ReadOptions, WriteCallOptions } from './driver.js'

// What the options of a call have to say, before anything is sent.

/**
 * The most that a cell of Cassandra lives: twenty years.
 *
 * Source: https://cassandra.apache.org/doc/stable/cassandra/developing/cql/dml.html
 */
const MOST_SECONDS = 630_720_000

/** Of an upsert, which does not ask whether a row is there. */
export type UpsertOptions = Omit<WriteCallOptions, 'check'>

/** Of a delete, which leaves nothing behind that could live. */
export type DeleteOptions = Omit<WriteCallOptions, 'check' | 'ttl'>

/** Of an addition to counters: neither their age nor what they were can be told. */
export type IncrementOptions = Omit<WriteCallOptions, 'check' | 'ttl' | 'writeTime'>

export type WriteKind = 'insert' | 'update' | 'upsert' | 'delete' | 'increment'

const MEANINGLESS: Readonly<Record<WriteKind, readonly (keyof WriteCallOptions)[]>> = {
  insert: [],
  update: [],
  upsert: ['check'],
  delete: ['check', 'ttl'],
  increment: ['check', 'ttl', 'writeTime'],
}

const OF_READS: Readonly<Record<keyof ReadOptions, true>> = {
  deadline: true,
  signal: true,
  priority: true,
  tag: true,
  at: true,
  consistency: true,
  directedReads: true,
}
const OF_WRITES: Readonly<Record<keyof WriteCallOptions, true>> = {
  deadline: true,
  signal: true,
  priority: true,
  tag: true,
  ttl: true,
  writeTime: true,
  consistency: true,
  check: true,
  split: true,
}
const OF_INSERTS = { ...OF_WRITES, returning: true }

/**
 * @throws {IsothermError} `UNSUPPORTED` naming an option that the engine does not take; `INVALID_VALUE` for what an option
 * cannot be, and for what is none.
 */
export function checkWriteOptions(
  driver: Driver,
  { cql }: Pick<Dialect, 'cql'>,
  kind: WriteKind,
  options: WriteCallOptions | undefined,
): void {
  if (!options) return
  refuseUntaken(driver, options)
  // What is left is as it always was where nothing is taken.
  if (!cql) return
  const write = `${kind === 'delete' ? 'a' : 'an'} ${kind}`
  for (const option of MEANINGLESS[kind]) {
    if (options[option] !== undefined)
      throw invalid(`${option} says nothing of ${write}.`, `Leave ${option} out.`)
  }
  refuseUnknown(driver, write, kind === 'insert' ? OF_INSERTS : OF_WRITES, options, MEANINGLESS[kind])
  const { ttl, writeTime, consistency, check = true } = options
  if (ttl !== undefined && !(Number.isInteger(ttl) && ttl >= 0 && ttl <= MOST_SECONDS)) {
    throw invalid(
      `ttl is ${String(ttl)}.`,
      `Give whole seconds, from 1 to ${MOST_SECONDS}; 0 for cells that stay, whatever the table says.`,
    )
  }
  if (writeTime !== undefined) {
    if (typeof writeTime !== 'bigint' || BigInt.asIntN(64, writeTime) !== writeTime)
      throw invalid(`writeTime is ${String(writeTime)}.`, 'Give microseconds since 1970, as a bigint.')
    if (check && (kind === 'insert' || kind === 'update')) {
      throw invalid(
        `writeTime is given with a condition, which has a time of its own: an ${kind} checks whether the row is there.`,
        `Give check: false with it.`,
      )
    }
  }
  if (consistency !== undefined) checkConsistency(driver.name, 'writes', cql.has, consistency)
}

/** @throws {IsothermError} as `checkWriteOptions` does. */
export function checkReadOptions(
  driver: Driver,
  { cql }: Pick<Dialect, 'cql'>,
  options: ReadOptions | undefined,
): void {
  if (!options) return
  refuseUntaken(driver, options)
  if (!cql) return
  refuseUnknown(driver, 'a read', OF_READS, options)
  const { consistency } = options
  if (consistency !== undefined) checkConsistency(driver.name, 'reads', cql.has, consistency)
}

/** Of plain JavaScript, where no compiler reads along: a lifetime that is misspelled is none. */
function refuseUnknown(
  { takes }: Driver,
  call: string,
  known: Readonly<Record<string, true>>,
  options: object,
  meaningless: readonly string[] = [],
): void {
  const unknown = Object.entries(options).find(
    ([name, value]) => value !== undefined && !Object.hasOwn(known, name),
  )
  if (!unknown) return
  const [name] = unknown
  const names = Object.keys(known).filter(
    (each) => !meaningless.includes(each) && (!isEngineOption(each) || takes.includes(each)),
  )
  throw invalid(`${JSON.stringify(name)} is no option of ${call}.`, `Its options are ${names.join(', ')}.`)
}

function invalid(what: string, fix: string): IsothermError {
  return new IsothermError('INVALID_VALUE', what, { fix })
}
