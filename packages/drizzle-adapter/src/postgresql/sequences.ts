import { IsothermError, type SequenceOptions } from '@isotherm/core'
import type { PgSequence } from 'drizzle-orm/pg-core'
import { inSchema } from '../schema/names.js'
import type { SequenceConfig } from './columns/declaration.js'

/** A sequence of Drizzle's. @throws {IsothermError} `UNSUPPORTED` for options that a bit-reversed sequence has not. */
export function declaredSequence({ seqName, schema, seqOptions = {} }: PgSequence): SequenceOptions {
  const name = inSchema(schema, seqName ?? '')
  refuseSequenceOptions(`The sequence ${name}`, seqOptions)
  const { startWith } = seqOptions
  return { name, ...(startWith !== undefined && { startCounter: BigInt(startWith) }) }
}

/** @param called what has the options */
export function refuseSequenceOptions(called: string, options: SequenceConfig): void {
  const { startWith: _, ...others } = options
  const [option] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (option === undefined) return
  throw new IsothermError(
    'UNSUPPORTED',
    `${called} has the option ${option}: Spanner's are counted up by one and handed out with their bits reversed.`,
    {
      fix: "Leave all but startWith out. Ranges are passed over by bitReversedId({ from: 'sequence', skipRange: […] }).",
    },
  )
}
