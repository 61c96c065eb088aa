import { keyWires, type PlainRow } from '../../database/codec.js'
import type { Cells, KeyRange } from '../../database/driver.js'
import { predicateOf } from '../../database/predicate.js'
import type { TableLayout } from '../../dialects/layout.js'
import type { Wire } from '../../dialects/wire.js'
import { tableConstraints } from '../planning/constraints.js'
import { childSelection, INCLUDE_BATCH, type IncludeWay, type PlannedInclude } from './include-plan.js'
import type { Include } from './include.js'
import { shardRange } from '../planning/key-ranges.js'
import { rowOrder } from '../order.js'
import type { Reading } from '../reading/reading.js'

/** Gives each of these rows its children, as of the moment of the reading, and tells how many they are. */
export async function addChildren(
  reading: Reading,
  { layout }: { readonly layout: TableLayout },
  rows: readonly PlainRow[],
  includes: readonly Include[],
  plans: readonly PlannedInclude[],
  shard: number | undefined,
): Promise<number> {
  let added = 0
  for (let from = 0; from < rows.length; from += INCLUDE_BATCH) {
    const batch = rows.slice(from, from + INCLUDE_BATCH)
    const keys = batch.map((row) => keyWires(layout, row))
    await Promise.all(
      includes.map(async (include, at) => {
        const { via, includes: nested } = plans[at]!
        const families = await familiesOf(reading, include, via, keys, shard)
        batch.forEach((row, place) => {
          row[include.name] = families[place]!
        })
        const children = families.flat()
        added += children.length
        added += await addChildren(reading, include.table, children, include.includes, nested, shard)
      }),
    )
  }
  return added
}

/** The children of each parent, in the order of the parents. */
async function familiesOf(
  reading: Reading,
  include: Include,
  via: IncludeWay,
  parents: readonly (readonly Wire[])[],
  shard: number | undefined,
): Promise<PlainRow[][]> {
  const { table, inherited, condition, order, limit } = include
  const { codec, dialect } = table
  const cells = await (via === 'read' ? readChildren : selectChildren)(reading, include, parents, shard)
  const matches = via === 'read' && condition ? predicateOf(condition, dialect) : undefined
  const compare = rowOrder(dialect, order)
  const families = new Map<string, PlainRow[]>(parents.map((key) => [JSON.stringify(key), []]))
  for (const each of cells) {
    const row = codec.decode(each)
    if (matches && matches(row) !== true) continue
    families.get(JSON.stringify(keyWires({ key: inherited }, row)))!.push(row)
  }
  let kept = 0
  const ordered = parents.map((key) => {
    // They come in the order of their key, of statements in none that is promised.
    const family = families.get(JSON.stringify(key))!.sort(compare).slice(0, limit)
    kept += family.length
    return family
  })
  reading.report.hold(kept - cells.length)
  return ordered
}

function readChildren(
  reading: Reading,
  { table: { layout, codec, dialect }, below, condition }: Include,
  parents: readonly (readonly Wire[])[],
  shard: number | undefined,
): Promise<Cells[]> {
  const within = shardRange(below, undefined, tableConstraints(layout, condition, dialect))
  const ranges = parents.map((key): KeyRange => ({
    start: [...key, ...within.start],
    startOpen: within.startOpen,
    end: [...key, ...within.end],
    endOpen: within.endOpen,
  }))
  return reading.calling(shard, async (reader, options) => {
    const cells = await reader.read({ table: layout.table.name, columns: codec.columns, ranges }, options)
    reading.count(shard, cells.length)
    return cells
  })
}

async function selectChildren(
  reading: Reading,
  include: Include,
  parents: readonly (readonly Wire[])[],
  shard: number | undefined,
): Promise<Cells[]> {
  const { codec, dialect } = include.table
  const selection = childSelection(include)
  const each = dialect.statements.parentsPerStatement(selection)
  const answers: Promise<Cells[]>[] = []
  for (let from = 0; from < parents.length; from += each) {
    const some = parents.slice(from, from + each)
    const statement = dialect.statements.selectPerParent({ ...selection, parents: some })
    answers.push(
      reading.calling(shard, async (reader, options) => {
        const cells = await reader.query(statement, codec.types, options)
        reading.count(shard, cells.length)
        return cells
      }),
    )
  }
  return (await Promise.all(answers)).flat()
}
