import { Database } from '../database/database.js'
import type { Driver } from '../database/driver.js'
import { SEQUENCES } from './sequence-table.js'
import type { NumberingOptions } from './numbering.js'

/**
 * Where a sequence is: a database, or a driver of one. A function is called when it is needed first, since models that draw
 * from a generator are declared before their database is opened.
 */
export type SequencePlace = Database | Driver | (() => Database | Driver)

export interface SequenceOptions extends NumberingOptions {
  /** The table of sequences. Default: `sequences`. */
  readonly table?: string
}

export function driverAt(place: SequencePlace): Driver {
  const found = typeof place === 'function' ? place() : place
  return found instanceof Database ? found.driver : found
}

export function tableIn({ table = SEQUENCES }: SequenceOptions): string {
  return table
}
