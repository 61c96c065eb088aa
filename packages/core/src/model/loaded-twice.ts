import { basename } from 'node:path'
import { modelName } from './model.js'
import { locationOf, shownLocation } from './origin.js'
import type { TableDefinition } from './table.js'

// Decorators run again where a module is evaluated again: its models are then other classes of the same tables.

/** A declaration, and the model that carries it. */
type Declared = readonly [model: object, definition: TableDefinition]

/**
 * The other load of a model, among these: a class of the same name, for the same table, that has the same columns or is in a
 * file of the same name. Two declarations of one file, or two calls of a function that declares, are not two loads.
 */
export function otherLoad([model, definition]: Declared, among: Iterable<Declared>): Declared | undefined {
  const location = locationOf(definition.origin)
  for (const other of among) {
    const [otherModel, otherDefinition] = other
    if (otherModel === model || otherDefinition.name !== definition.name) continue
    if (modelName(otherModel) !== modelName(model)) continue
    const otherLocation = locationOf(otherDefinition.origin)
    const isOneFile = location !== undefined && location.file === otherLocation?.file
    if (isOneFile && location.calls !== otherLocation?.calls) continue
    const isLikeNamed = location && otherLocation && stem(location.file) === stem(otherLocation.file)
    if (isLikeNamed || properties(definition) === properties(otherDefinition)) return other
  }
  return undefined
}

/** `customer` of `src/customer.ts` and of `dist/customer.js`. */
function stem(file: string): string {
  return basename(file.replace(/[?#].*$/, '')).replace(/\..*$/, '')
}

function properties({ columns }: TableDefinition): string {
  return columns.map(({ property }) => property).join()
}

/** What happened, as the rest of a sentence about the model: `was loaded twice: from src/order.ts:4 and from dist/order.js:2.` */
export function loadedTwice(one: TableDefinition, other: TableDefinition): string {
  const [first, second] = [shownLocation(one.origin), shownLocation(other.origin)]
  if (first === undefined || second === undefined) return 'was loaded twice.'
  return first === second
    ? `was loaded twice, from ${first}.`
    : `was loaded twice: from ${first} and from ${second}.`
}

export const LOAD_ONCE =
  'Import it by one path in all files: from its source or from the build, and as an ES module or as CommonJS, but not both.'
