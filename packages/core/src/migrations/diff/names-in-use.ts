import { folded } from '../names.js'
import type { PhysicalSchema, PhysicalTable } from '../physical-schema.js'
import type { DiffContext } from './context.js'

/** Tables go last, and so nothing else can have one's name in the same migration. A view comes later still. */
export function refuseTakenNames(
  context: DiffContext,
  gone: readonly PhysicalTable[],
  to: PhysicalSchema,
): void {
  const names = new Map(gone.map(({ name }) => [folded(name), name]))
  if (names.size === 0) return
  const others = [
    ...to.sequences,
    ...to.tables.flatMap(({ indexes, checks, foreignKeys }) => [...indexes, ...checks, ...foreignKeys]),
  ]
  for (const { name } of others) {
    if (!names.has(folded(name))) continue
    context.refuse({
      kind: 'name',
      table: name,
      message: 'is the name of a table that goes in the same migration.',
      fix: 'Give the new thing another name, or drop the table in a migration of its own before.',
    })
  }
}
