import { keyWires, type PlainRow } from '../../database/codec.js'
import type { Cells, KeyRange, ReadRequest } from '../../database/driver.js'
import { predicateOf } from '../../database/predicate.js'
import type { KeyOrder, TableLayout } from '../../dialects/layout.js'
import type { Wire } from '../../dialects/wire.js'
import { backwards } from '../planning/backward.js'
import { tableConstraints } from '../planning/constraints.js'
import { childSelection, INCLUDE_BATCH, limitedOrder, type PlannedInclude } from './include-plan.js'
import type { Include } from './include.js'
import { rangeUnder, shardRange } from '../planning/key-ranges.js'
import { rowOrder } from '../order.js'
import type { Place } from '../reading/place.js'
import type { Reading } from '../reading/reading.js'
import { sqlOf } from '../../dialects/dialect.js'

/** Gives each of these rows its children, as of the moment of the reading, and tells how many they are. */
export async function addChildren(
  reading: Reading,
  { layout }: { readonly layout: TableLayout },
  rows: readonly PlainRow[],
  includes: readonly Include[],
  plans: readonly PlannedInclude[],
  place: Place,
): Promise<number> {
  let added = 0
  for (let from = 0; from < rows.length; from += INCLUDE_BATCH) {
    const batch = rows.slice(from, from + INCLUDE_BATCH)
    const keys = batch.map((row) => keyWires(layout, row))
    await Promise.all(
      includes.map(async (include, at) => {
        const plan = plans[at]!
        const families = await familiesOf(reading, include, plan, keys, place)
        batch.forEach((row, place) => {
          row[include.name] = families[place]!
        })
        const children = families.flat()
        added += children.length
        added += await addChildren(reading, include.table, children, include.includes, plan.includes, place)
      }),
    )
  }
  return added
}

/** The children of each parent, in the order of the parents. */
async function familiesOf(
  reading: Reading,
  include: Include,
  { via, apart }: PlannedInclude,
  parents: readonly (readonly Wire[])[],
  place: Place,
): Promise<PlainRow[][]> {
  const { table, inherited, condition, order, limit } = include
  const { codec, dialect } = table
  const read = via === 'statement' ? selectChildren : apart ? readLimited : readChildren
  const cells = await read(reading, include, parents, place)
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
  include: Include,
  parents: readonly (readonly Wire[])[],
  place: Place,
): Promise<Cells[]> {
  const within = rangeBelow(include, include.below)
  const ranges = parents.map((key) => rangeUnder(key, within))
  return readRanges(reading, include, place, { ranges })
}

/** A read for each parent, of no more children than are wanted. */
async function readLimited(
  reading: Reading,
  include: Include,
  parents: readonly (readonly Wire[])[],
  place: Place,
): Promise<Cells[]> {
  const { keys, reversed } = limitedOrder(include)!
  const range = rangeBelow(include, keys)
  const within = reversed ? backwards(range) : range
  const families = await Promise.all(
    parents.map((key) =>
      readRanges(reading, include, place, {
        ranges: [rangeUnder(key, within)],
        limit: include.limit!,
        ...(reversed && { reversed: true }),
      }),
    ),
  )
  return families.flat()
}

function rangeBelow({ table: { layout, dialect }, condition }: Include, below: KeyOrder): KeyRange {
  return shardRange(below, undefined, tableConstraints(layout, condition, dialect))
}

function readRanges(
  reading: Reading,
  { table: { layout, codec } }: Include,
  place: Place,
  asked: Pick<ReadRequest, 'ranges' | 'limit' | 'reversed'>,
): Promise<Cells[]> {
  return reading.calling(place, async (reader, options) => {
    const cells = await reader.read({ layout, columns: codec.columns, ...asked }, options)
    reading.count(place, cells.length)
    return cells
  })
}

async function selectChildren(
  reading: Reading,
  include: Include,
  parents: readonly (readonly Wire[])[],
  place: Place,
): Promise<Cells[]> {
  const { codec, dialect } = include.table
  const { statements } = sqlOf(dialect, 'A read of children by statement')
  const selection = childSelection(include)
  const each = statements.parentsPerStatement(selection)
  const answers: Promise<Cells[]>[] = []
  for (let from = 0; from < parents.length; from += each) {
    const some = parents.slice(from, from + each)
    const statement = statements.selectPerParent({ ...selection, parents: some })
    answers.push(
      reading.calling(place, async (reader, options) => {
        const cells = await reader.query(statement, codec.types, options)
        reading.count(place, cells.length)
        return cells
      }),
    )
  }
  return (await Promise.all(answers)).flat()
}
