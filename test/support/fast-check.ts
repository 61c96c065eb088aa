import * as fc from 'fast-check'
import { scaled } from './runs.js'

// What every test here gets for `fast-check`: how often random tests run, and from which seed, is said in this one place.

fc.configureGlobal({
  seed: Number(process.env['ISOTHERM_SEED']),
  numRuns: scaled(100),
  // A counterexample that is found on an engine is looked at as it is: to shrink it would take minutes.
  endOnFailure: true,
})

/** A test that brings a seed of its own is the same each time, and is left as it is. */
function scaledRuns<Values>(parameters: fc.Parameters<Values> | undefined) {
  const { numRuns, seed } = parameters ?? {}
  // With half a run too many, a test would never end.
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
