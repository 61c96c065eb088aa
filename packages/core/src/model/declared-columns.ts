import { argumentMistakes, kind, recordOf, type OptionMistake } from '../options.js'
import type { ColumnBuilder } from './column-builder.js'
import type { ColumnDefinition } from './column.js'

// By its shape, and not its class: two copies of this package in one process understand each other.
const BUILDER = kind(
  'a column, such as t.string()',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { readonly patch?: unknown }).patch === 'object' &&
    (value as { readonly patch: unknown }).patch !== null,
)
const FUNCTION = kind(
  'a function that returns columns: (t) => ({ id: t.int64().key() })',
  (value) => typeof value === 'function',
)
const COLUMNS = recordOf(BUILDER, 'an object of columns: (t) => ({ id: t.int64().key() })')

/** The columns that a function of builders returns, and the mistakes in them. */
export function declaredColumns<Builders>(
  declare: (t: Builders) => Readonly<Record<string, ColumnBuilder<unknown>>>,
  builders: Builders,
): { readonly columns: readonly ColumnDefinition[]; readonly mistakes: readonly OptionMistake[] } {
  const wrong = argumentMistakes('columns', FUNCTION, declare)
  if (wrong.length > 0) return { columns: [], mistakes: wrong }
  const declared = declare(builders)
  const mistakes = argumentMistakes('columns', COLUMNS, declared)
  if (mistakes.length > 0) return { columns: [], mistakes }
  const columns = Object.entries(declared).map(([property, { patch }]) => ({ ...patch, property }))
  return { columns, mistakes }
}
