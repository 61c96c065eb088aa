import type { Dialect } from '../dialects/dialect.js'
import { IsothermError } from '../errors.js'
import { refuseUntaken } from './capabilities.js'
import type { Consistency, Driver, ReadOptions, WriteCallOptions } from './driver.js'

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

/**
 * @throws {IsothermError} `UNSUPPORTED` naming an option that the engine does not take; `INVALID_VALUE` for what an option
 * cannot be.
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
  for (const option of MEANINGLESS[kind]) {
    if (options[option] === undefined) continue
    throw invalid(
      `${option} says nothing of ${kind === 'delete' ? 'a' : 'an'} ${kind}.`,
      `Leave ${option} out.`,
    )
  }
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
  checkConsistency(driver, 'writes', cql.has.writeConsistency, consistency)
}

/** @throws {IsothermError} as `checkWriteOptions` does. */
export function checkReadOptions(
  driver: Driver,
  { cql }: Pick<Dialect, 'cql'>,
  options: ReadOptions | undefined,
): void {
  if (!options) return
  refuseUntaken(driver, options)
  if (cql) checkConsistency(driver, 'reads', cql.has.readConsistency, options.consistency)
}

function checkConsistency(
  { name }: Driver,
  verb: 'reads' | 'writes',
  levels: readonly Consistency[],
  given: Consistency | undefined,
): void {
  if (given === undefined || levels.includes(given)) return
  const spelling = JSON.stringify(given).toLowerCase().replaceAll('_', '-')
  const meant = levels.find((level) => JSON.stringify(level) === spelling)
  if (meant !== undefined)
    throw invalid(`The consistency is spelled ${JSON.stringify(given)}.`, `Write '${meant}'.`)
  const spelled = levels.map((level) => level.toUpperCase().replace('-', '_')).join(', ')
  throw invalid(
    `${name} ${verb} at ${spelled} only, not at ${JSON.stringify(given)}.`,
    `Give one of ${levels.map((level) => `'${level}'`).join(', ')}; or leave it out, for the driver's own.`,
  )
}

function invalid(what: string, fix: string): IsothermError {
  return new IsothermError('INVALID_VALUE', what, { fix })
}
