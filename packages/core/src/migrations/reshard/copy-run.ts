import type { Driver } from '../../database/driver.js'
import type { Control } from './control.js'
import type { PartRecords } from './part-records.js'

/** One run of the copying. */
export interface CopyRun {
  readonly driver: Driver
  readonly control: Control
  readonly records: PartRecords
  readonly batch: number
  readonly signal: AbortSignal | undefined
}
