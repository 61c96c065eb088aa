import { IsothermError } from '../errors.js'
import { bindingOf } from '../model/bindings.js'
import type { Schema } from '../model/schema.js'
import type { ConditionalWrites, CounterWrites, Driver, EngineOption, TransactionalDriver } from './driver.js'

// What an engine has not is refused by name, each in one place.

/**
 * A schema may use what its dialect has and this engine does not.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming the table and the column.
 */
export function refuseLacking(schema: Schema, { name, lacks, transaction }: Driver): void {
  if (!transaction) refuseTransactionCounters(schema, name)
  if (!lacks.includes('uuid-type')) return
  for (const table of schema.tables) {
    const column = table.columns.find(({ type }) => {
      const scalar = type.kind === 'array' ? type.of : type
      return scalar.kind === 'uuid' && scalar.storage === 'native'
    })
    if (!column) continue
    throw new IsothermError(
      'UNSUPPORTED',
      `${table.name}.${column.property} is stored as the type UUID, which this ${name} does not have.`,
      {
        fix: "Use storage 'text', 'int64-pair' or 'bytes', or an engine that has the type: the emulator has not.",
        table: table.name,
        column: column.property,
      },
    )
  }
}

/** A number that is taken in the transaction of its insert wants one. */
function refuseTransactionCounters(schema: Schema, engine: string): void {
  for (const table of schema.tables) {
    const column = table.columns.find(({ source }) => {
      const counter = source && bindingOf(source).counter
      return counter !== undefined && 'takeIn' in counter
    })
    if (!column) continue
    throw new IsothermError(
      'UNSUPPORTED',
      `${table.name}.${column.property} is numbered in the transaction of its insert, and ${engine} has no transactions over rows.`,
      {
        fix: 'Number it with asynchronous, which leaves a gap where an insert fails; or with batch or asynchronousBatch.',
        table: table.name,
        column: column.property,
      },
    )
  }
}

/** @throws {IsothermError} `UNSUPPORTED` where the engine has no transactions over rows. */
export function transactionsOf(driver: Driver): TransactionalDriver['transaction'] {
  if (driver.transaction) return driver.transaction.bind(driver)
  throw new IsothermError('UNSUPPORTED', `${driver.name} has no transactions over rows.`, {
    fix: 'Write one partition with db.insert, or one row conditionally: check is on by default.',
  })
}

/** @throws {IsothermError} `UNSUPPORTED` where the engine cannot read several things as of one moment. */
export function snapshotsOf(driver: Driver): TransactionalDriver['snapshot'] {
  if (driver.snapshot) return driver.snapshot.bind(driver)
  throw new IsothermError('UNSUPPORTED', `${driver.name} reads each partition as of its own moment.`, {
    fix: 'Ask for no snapshot; how many replicas answer is said by consistency, in the options of a read.',
  })
}

/** @throws {IsothermError} `UNSUPPORTED` where the engine has no conditional writes. */
export function conditionalOf({ name, conditional }: Driver): ConditionalWrites {
  if (conditional) return conditional
  throw new IsothermError('UNSUPPORTED', `${name} has no conditional writes.`, {
    fix: 'Read and write in one transaction: db.transaction(async (tx) => …).',
  })
}

/** @throws {IsothermError} `UNSUPPORTED` where the engine has no counters. */
export function countersOf({ name, counters }: Driver): CounterWrites {
  if (counters) return counters
  throw new IsothermError('UNSUPPORTED', `${name} has no columns that are added to without being read.`, {
    fix: 'Read and write in one transaction: db.transaction(async (tx) => …).',
  })
}

/** What is said of an option that an engine does not take: what it has not, and what to do. */
const UNTAKEN: Readonly<Record<EngineOption, readonly [lacks: string, fix: string]>> = {
  at: [
    'reads each partition as of its own moment',
    'Leave at out; consistency says how many replicas answer.',
  ],
  directedReads: [
    'takes no choice of replicas with a call',
    "Leave directedReads out, and give the client a load balancing policy, or consistency 'local-one'.",
  ],
  priority: ['has no priority of calls', 'Leave priority out.'],
  tag: ['has no names of calls in its statistics', 'Leave tag out.'],
  ttl: ['has no lifetime of cells', 'Leave ttl out; a row deletion policy of the table deletes old rows.'],
  writeTime: ['gives writes the times of their commits', 'Leave writeTime out.'],
  consistency: ['has no levels of consistency: every read is of what is committed', 'Leave consistency out.'],
  check: ['always checks whether a row is there', 'Use upsert for rows that may be there.'],
}
const ENGINE_OPTIONS = Object.keys(UNTAKEN) as readonly EngineOption[]

/** Whether an option means something on some engines only. */
export function isEngineOption(name: string): name is EngineOption {
  return Object.hasOwn(UNTAKEN, name)
}

/**
 * Options of a call that would do nothing on this engine are no options.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming the option.
 */
export function refuseUntaken(
  { name, takes }: Pick<Driver, 'name' | 'takes'>,
  options: { readonly [Option in EngineOption]?: unknown } | undefined,
): void {
  if (!options) return
  for (const option of ENGINE_OPTIONS) {
    const given = options[option]
    // To ask for checks where there are always checks is to ask for nothing.
    if (given === undefined || takes.includes(option) || (option === 'check' && given === true)) continue
    const [lacks, fix] = UNTAKEN[option]
    throw new IsothermError('UNSUPPORTED', `${name} ${lacks}.`, { fix })
  }
}
