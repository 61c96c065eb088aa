import { type Table, cellsExpire } from '../model/table.js'
import { isToCome, toMoment } from '../keys/precise-date.js'
import {
  type Kind,
  type OptionKinds,
  alternatives,
  anything,
  dependingOn,
  either,
  flag,
  invalidOption,
  kind,
  listOf,
  numberFrom,
  objectWith,
  oneOf,
  optionMistakes,
  options,
  text,
} from '../options.js'
import {
  type CallOptions,
  type Driver,
  type OutsideTransaction,
  type ReadOptions,
  type WriteCallOptions,
  type WriteKind,
  isEngineOption,
  refuseUnsupportedOptions,
} from './driver.js'

// Checks of call options, before anything is sent.

/** Options of an upsert, which does not check whether a row exists. */
export type UpsertOptions = Omit<WriteCallOptions, 'conditional'>

/** Options of a delete, after which no cell is left that could expire. */
export type DeleteOptions = Omit<WriteCallOptions, 'conditional' | 'ttlSeconds'>

/** Options of an addition to counters: the database cannot set their age, nor return their old values. */
export type IncrementOptions = Omit<WriteCallOptions, 'conditional' | 'ttlSeconds' | 'writeTime'>

/** The rest of a limit that earlier calls have used up may be negative. */
const milliseconds = kind('a number of milliseconds', Number.isFinite)

export const CALL_OPTIONS: OptionKinds<CallOptions> = {
  timeoutMs: milliseconds,
  signal: objectWith('an AbortSignal', 'addEventListener', 'removeEventListener'),
  priority: oneOf('low', 'medium', 'high'),
  tag: text("'checkout'"),
}

const staleness = numberFrom(0, 'a number of milliseconds')
const moment = kind(
  "a Date, or text with an offset: '2026-11-22T10:00:00Z'",
  (value) => toMoment(value) !== undefined,
)
const past = kind('a time that is not in the future: the database would wait for it', () => false)
const readTimestamp = dependingOn('a moment', (value) => {
  const date = toMoment(value)
  return date && isToCome(date) ? past : moment
})

const REPLICAS = listOf(
  options({ location: text("'us-east1'"), type: oneOf('read-write', 'read-only') }),
  'a list of replicas',
)

export const READ_OPTIONS: OptionKinds<ReadOptions> = {
  ...CALL_OPTIONS,
  at: either(
    "'strong', { exactStaleness } or { maxStaleness } in milliseconds, or { readTimestamp } as a Date or as text with an offset",
    oneOf('strong'),
    alternatives(
      '{ exactStaleness }, { maxStaleness } or { readTimestamp }',
      { exactStaleness: staleness },
      { maxStaleness: staleness },
      { readTimestamp },
    ),
  ),
  // Each engine has levels of its own.
  consistency: anything,
  directedReads: alternatives(
    '{ include: [{ location, type }] } or { exclude: [{ location, type }] }',
    { include: REPLICAS, failover: flag },
    { exclude: REPLICAS },
  ),
}

export const TRANSACTION_OPTIONS: OptionKinds<CallOptions & OutsideTransaction> = {
  ...CALL_OPTIONS,
  outsideTransaction: flag,
}

const INCREMENTED: OptionKinds<IncrementOptions> = {
  ...TRANSACTION_OPTIONS,
  consistency: anything,
  allowMultipleCommits: flag,
}
const DELETED: OptionKinds<DeleteOptions> = { ...INCREMENTED, writeTime: anything }
const UPSERTED: OptionKinds<UpsertOptions> = { ...DELETED, ttlSeconds: anything }
const UPDATED: OptionKinds<WriteCallOptions> = { ...UPSERTED, conditional: flag }

const OF_WRITES: Readonly<Record<WriteKind, Readonly<Record<string, Kind>>>> = {
  insert: { ...UPDATED, returning: flag },
  update: UPDATED,
  upsert: UPSERTED,
  delete: DELETED,
  increment: INCREMENTED,
}

/**
 * Checks the options of a call that only some engines support.
 *
 * @param call as its user writes it: `db.get`
 * @throws {IsothermError} `INVALID_OPTION` for an unknown option or an invalid value; `UNSUPPORTED_FEATURE` naming an option that
 * the engine does not support.
 */
export function checkCallOptions(
  driver: Driver,
  call: string,
  kinds: Readonly<Record<string, Kind>>,
  options: object | undefined,
): void {
  if (options === undefined) return
  const [mistake] = optionMistakes(takenOf(driver, kinds), options)
  if (!mistake) {
    refuseUnsupportedOptions(driver, options)
    return
  }
  const { path, unknown = [path] } = mistake
  // If there is also a name that no engine knows, an option of another engine counts as one more unknown name.
  if (unknown.every((name) => isEngineOption(name) && !driver.takes.includes(name)))
    refuseUnsupportedOptions(driver, options)
  throw invalidOption(call, mistake)
}

const taken = new WeakMap<Driver, Map<object, Readonly<Record<string, Kind>>>>()

/**
 * The options that mean something on an engine, made once. `conditional: true` is not a mistake on an engine that always checks.
 */
function takenOf(driver: Driver, kinds: Readonly<Record<string, Kind>>): Readonly<Record<string, Kind>> {
  let ofDriver = taken.get(driver)
  if (!ofDriver) taken.set(driver, (ofDriver = new Map()))
  let found = ofDriver.get(kinds)
  if (!found) {
    const isTaken = (name: string): boolean =>
      !isEngineOption(name) || name === 'conditional' || driver.takes.includes(name)
    found = Object.fromEntries(Object.entries(kinds).filter(([name]) => isTaken(name)))
    ofDriver.set(kinds, found)
  }
  return found
}

/**
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` naming an option that the engine does not support; `INVALID_OPTION` for an unknown
 * option or an invalid value; `INVALID_VALUE` for a value that this engine lacks.
 */
export function checkWriteOptions(
  driver: Driver,
  kind: WriteKind,
  options: WriteCallOptions | undefined,
): void {
  if (options === undefined) return
  checkCallOptions(driver, `db.${kind}`, OF_WRITES[kind], options)
  driver.optionValues?.checkWrite(kind, options)
}

/** @throws {IsothermError} as `checkWriteOptions` does. */
export function checkReadOptions(driver: Driver, options: ReadOptions | undefined, call = 'db.get'): void {
  if (options === undefined) return
  checkCallOptions(driver, call, READ_OPTIONS, options)
  driver.optionValues?.checkRead(options)
}

/** @throws {IsothermError} `INVALID_OPTION` for a `ttlSeconds` where the model does not know that rows of the table expire. */
export function refuseToExpire(
  table: Table,
  kind: WriteKind,
  { ttlSeconds = 0 }: WriteCallOptions = {},
): void {
  if (ttlSeconds === 0 || cellsExpire(table)) return
  throw invalidOption(`db.${kind}`, {
    message: `ttlSeconds is ${ttlSeconds}, but ${table.name} does not declare that its rows expire.`,
    fix: 'Add writesExpire: true to the options of the table: reads then skip rows of which a part has expired.',
  })
}
