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

/** Any code point but the halves of surrogate pairs. Fast-check's own unit keeps a map of all of them, which takes a second to fill. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map(
  (index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800),
  (value) => {
    const point = typeof value === 'string' ? value.codePointAt(0) : undefined
    if (point === undefined || value !== String.fromCodePoint(point)) throw new Error('not a code point')
    if (point >= 0xd800 && point < 0xe000) throw new Error('half of a surrogate pair')
    return point < 0xd800 ? point : point - 0x800
  },
)

export const string: typeof fc.string = (constraints) =>
  fc.string(constraints?.unit === 'binary' ? { ...constraints, unit: codePoint } : constraints)

export * from 'fast-check'

export const assert: typeof fc.assert = (property, parameters) =>
  fc.assert(property as never, scaledRuns(parameters as never)) as never

export const check: typeof fc.check = (property, parameters) =>
  fc.check(property as never, scaledRuns(parameters as never)) as never

export default { ...fc, assert, check, string }
