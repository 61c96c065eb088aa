import type { Consistency } from '@isotherm/core/engine'
import { IsothermError } from '@isotherm/core/engine'

/** The levels that a dialect has. */
export interface ConsistencyLevels {
  readonly readConsistency: readonly Consistency[]
  readonly writeConsistency: readonly Consistency[]
}

/**
 * @param engine as messages name it
 * @throws {IsothermError} `INVALID_VALUE` for a level that the dialect does not have for such calls.
 */
export function checkConsistency(
  engine: string,
  verb: 'reads' | 'writes',
  { readConsistency, writeConsistency }: ConsistencyLevels,
  consistency: Consistency,
): void {
  const levels = verb === 'reads' ? readConsistency : writeConsistency
  if (levels.includes(consistency)) return
  const name = JSON.stringify(consistency)
  const syntax = name.toLowerCase().replaceAll('_', '-')
  const meant = levels.find((level) => JSON.stringify(level) === syntax)
  if (meant !== undefined) {
    throw new IsothermError('INVALID_VALUE', `The consistency is ${name}, which is not a known level.`, {
      fix: `Write '${meant}'.`,
    })
  }
  const names = levels.map((level) => level.toUpperCase().replace('-', '_')).join(', ')
  throw new IsothermError('INVALID_VALUE', `${engine} ${verb} at ${names} only, not at ${name}.`, {
    fix: `Give one of ${levels.map((level) => `'${level}'`).join(', ')}; or leave it out, for the driver's own.`,
  })
}
