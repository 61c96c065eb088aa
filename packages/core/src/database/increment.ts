import { IsothermError } from '../errors.js'
import type { PhysicalColumn } from '../dialects/layout.js'
import { countersOf } from './capabilities.js'
import { keyWires, type PlainRow } from './codec.js'
import { refuseIncomplete, type WriteTarget } from './commits.js'
import type { CompiledTable } from './compiled-table.js'
import type { CounterChange } from './driver.js'
import { completeKey, unknownProperty } from './fill.js'
import { runCommits } from './partition-commits.js'
import type { IncrementOptions } from './call-options.js'

type Given = Readonly<Record<string, unknown>>

/** Adds to the counters of rows. What is added twice counts twice, so that nothing is sent again. */
export async function incrementRows(
  { driver, table }: WriteTarget,
  given: readonly Given[],
  options: IncrementOptions | undefined,
): Promise<void> {
  const counters = countersOf(driver)
  const { layout } = table
  const keys = given.map((row) => completeKey(layout, row))
  const changes = keys.map((key, at): CounterChange => ({
    key: keyWires(layout, key),
    amounts: amountsOf(table, key, given[at]!),
  }))
  if (changes.length > 1 && !options?.split) {
    throw new IsothermError(
      'TOO_MANY_MUTATIONS',
      `${changes.length} rows of ${layout.table.name} are added to, and a commit of counters is one row.`,
      {
        fix: 'Let the call use several commits, each of which is atomic: { split: true }.',
        table: layout.table.name,
      },
    )
  }
  table.skew?.keys('writes', keys)
  const commits = changes.map((change, at) => ({ change, places: [at] }))
  refuseIncomplete(
    table,
    keys,
    await runCommits(commits, ({ change }) => counters.add(layout, [change], options)),
  )
}

function amountsOf(
  { layout }: CompiledTable,
  key: PlainRow,
  given: Given,
): ReadonlyMap<PhysicalColumn, bigint> {
  const { name } = layout.table
  const amounts = new Map<PhysicalColumn, bigint>()
  for (const [property, value] of Object.entries(given)) {
    if (value === undefined || property in key) continue
    const field = layout.byProperty.get(property)
    if (!field) throw unknownProperty(name, property, layout)
    if (field.column.type.kind !== 'counter') {
      throw new IsothermError('INVALID_VALUE', `${name}.${property} is no counter.`, {
        fix: 'Give the key, and what to add to counters.',
        table: name,
        column: property,
      })
    }
    if (value === null) {
      throw new IsothermError('INVALID_VALUE', `${name}.${property} is to grow by NULL.`, {
        fix: 'Give a bigint, or leave it out.',
        table: name,
        column: property,
      })
    }
    amounts.set(field.physical[0]!, field.accept(value) as bigint)
  }
  if (amounts.size > 0) return amounts
  throw new IsothermError('INVALID_VALUE', `An increment of ${name} adds to no counter.`, {
    fix: 'Give what to add beside the key: { …, hits: 1n }.',
    table: name,
  })
}
