import type { RowDatabase } from '../database/row-database.js'
import type { Driver } from '../engine/driver.js'
import { anything, checkArgument, checkOptions, flag, kind, type Kind, type OptionKinds } from '../options.js'
import { SEQUENCES } from './sequence-row.js'
import type { NumberingOptions } from './numbering.js'

/**
 * The database of a sequence, or a driver of one. A function is called when it is first needed, since models that draw from
 * a generator are declared before their database is opened.
 */
export type SequenceTarget = RowDatabase | Driver | (() => RowDatabase | Driver)

export interface SequenceOptions extends NumberingOptions {
  /** The table of sequences. Default: `sequences`. */
  readonly table?: string
}

export const SEQUENCE_OPTIONS: OptionKinds<SequenceOptions> = {
  // Numbering knows their bounds.
  start: anything,
  increment: anything,
  maximum: anything,
  bitReversed: flag,
  table: nameLike(SEQUENCES),
}

const NAME = nameLike('invoice')
const TARGET = kind('a database, a driver, or a function that gives one of them', isSequenceTarget)

/** Checks the arguments of a generator. @param args.target absent: it counts inside transactions */
export function checkSequence<Options>(
  call: string,
  kinds: OptionKinds<Options>,
  args: { readonly target?: unknown; readonly name: unknown; readonly options: unknown },
): void {
  if ('target' in args) checkArgument(call, 'target', TARGET, args.target)
  checkArgument(call, 'name', NAME, args.name)
  checkOptions(call, kinds, args.options)
}

function nameLike(example: string): Kind {
  return kind(
    `a text that is not empty, such as '${example}'`,
    (value) => typeof value === 'string' && value.trim() !== '',
  )
}

// A database is known by its driver, and not by its class: it may be of another copy of this package.

function isSequenceTarget(value: unknown): boolean {
  if (typeof value === 'function') return true
  return isDriver(value) || isDriver((value as { readonly driver?: unknown } | null | undefined)?.driver)
}

function isDriver(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'dialect' in value && 'writes' in value
}

export function driverAt(target: SequenceTarget): Driver {
  const found = typeof target === 'function' ? target() : target
  return 'driver' in found ? found.driver : found
}

export function tableIn({ table = SEQUENCES }: SequenceOptions): string {
  return table
}
