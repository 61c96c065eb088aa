import * as fc from 'fast-check'
import { scaled } from './runs.js'

// The configuration of `fast-check` for every test: the number of runs, and the seed.

fc.configureGlobal({
  seed: Number(process.env['ISOTHERM_SEED']),
  numRuns: scaled(100),
  // A counterexample on an engine is not shrunk, because shrinking would take minutes.
  endOnFailure: true,
})

/** A test with its own seed is the same each time, and is not changed. */
function scaledRuns<Values>(parameters: fc.Parameters<Values> | undefined) {
  const { numRuns, seed } = parameters ?? {}
  // With a fractional number of runs, a test would never end.
  if (!Number.isInteger(numRuns ?? 0)) throw new Error(`${numRuns} is not a number of runs.`)
  return numRuns === undefined || seed !== undefined
    ? parameters
    : { ...parameters, numRuns: scaled(numRuns) }
}

export * from 'fast-check'

export const assert: typeof fc.assert = (property, parameters) =>
  fc.assert(property as never, scaledRuns(parameters as never)) as never

export const check: typeof fc.check = (property, parameters) =>
  fc.check(property as never, scaledRuns(parameters as never)) as never

export default { ...fc, assert, check }
