import { type PlainRow, keyWires } from '../../engine/codec.js'
import type { Cells, KeyRange, ReadRequest } from '../../engine/driver.js'
import { predicateOf } from '../../rows/predicate.js'
import type { KeyOrder, TableLayout, Wire } from '../../layout/layout.js'
import { tableConstraints } from '../plan/constraints.js'
import {
  INCLUDE_BATCH,
  type Include,
  type PlannedInclude,
  childSelection,
  limitedOrder,
} from '../plan/include.js'
import { backwards, partitionFields, rangeUnder, shardRange } from '../plan/key-ranges.js'
import { rowOrder } from '../plan/order.js'
import { WHOLE_TABLE, type ReadTarget, type ReadTargetKey, targetKey } from './shard-health.js'
import type { Execution } from './execution.js'
import { sqlOf } from '../../engine/dialect.js'
import { type Bucket, bucketSource, bucketText } from '../plan/buckets.js'
import type { PlanOutcome } from '../plan/plan.js'

/** Adds the children of each of these rows, at the timestamp of the execution, and returns how many there are. */
async function addChildren(
  execution: Execution,
  { layout }: { readonly layout: TableLayout },
  rows: readonly PlainRow[],
  includes: readonly Include[],
  plans: readonly PlannedInclude[],
  target: ReadTarget,
): Promise<number> {
  let added = 0
  for (let from = 0; from < rows.length; from += INCLUDE_BATCH) {
    const batch = rows.slice(from, from + INCLUDE_BATCH)
    const keys = batch.map((row) => keyWires(layout, row))
    await Promise.all(
      includes.map(async (include, at) => {
        const plan = plans[at]!
        // The order of a row's properties is that of the includes, whichever is read first.
        for (const row of batch) row[include.name] = []
        const families = await familiesOf(execution, include, plan, keys, target)
        batch.forEach((row, at) => {
          row[include.name] = families[at]!
        })
        const children = families.flat()
        added += children.length
        added += await addChildren(
          execution,
          include.table,
          children,
          include.includes,
          plan.includes,
          target,
        )
      }),
    )
  }
  return added
}

/** The children of each parent, in the order of the parents. */
async function familiesOf(
  execution: Execution,
  include: Include,
  { strategy, apart }: PlannedInclude,
  parents: readonly (readonly Wire[])[],
  target: ReadTarget,
): Promise<PlainRow[][]> {
  const { table, inherited, condition, order, limit } = include
  const { codec, dialect } = table
  const read = strategy === 'statement' ? selectChildren : apart ? readLimited : readChildren
  const cells = await read(execution, include, parents, target)
  const matches = strategy === 'read' && condition ? predicateOf(condition, dialect) : undefined
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
  execution.report.hold(kept - cells.length)
  return ordered
}

function readChildren(
  execution: Execution,
  include: Include,
  parents: readonly (readonly Wire[])[],
  target: ReadTarget,
): Promise<Cells[]> {
  const within = rangeBelow(include, include.below)
  const ranges = parents.map((key) => rangeUnder(key, within))
  return readRanges(execution, include, target, { ranges })
}

/** A read for each parent, of no more children than are wanted. */
async function readLimited(
  execution: Execution,
  include: Include,
  parents: readonly (readonly Wire[])[],
  target: ReadTarget,
): Promise<Cells[]> {
  const { keys, reversed } = limitedOrder(include)!
  const range = rangeBelow(include, keys)
  const within = reversed ? backwards(range) : range
  const families = await Promise.all(
    parents.map((key) =>
      readRanges(execution, include, target, {
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
  execution: Execution,
  { table: { layout, codec } }: Include,
  target: ReadTarget,
  request: Pick<ReadRequest, 'ranges' | 'limit' | 'reversed'>,
): Promise<Cells[]> {
  return execution.calling(target, async (reader, options) => {
    const cells = await reader.read({ layout, columns: codec.columns, ...request }, options)
    execution.count(target, cells.length)
    return cells
  })
}

async function selectChildren(
  execution: Execution,
  include: Include,
  parents: readonly (readonly Wire[])[],
  target: ReadTarget,
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
      execution.calling(target, async (reader, options) => {
        const cells = await reader.query(statement, codec.types, options)
        execution.count(target, cells.length)
        return cells
      }),
    )
  }
  return (await Promise.all(answers)).flat()
}

/** Batches of rows with their children. If rows get lost, they are replaced by the rows that follow. */
export async function* withChildren(
  batches: AsyncIterable<PlainRow[]>,
  execution: Execution,
): AsyncGenerator<PlainRow[], void, undefined> {
  const { limit = Infinity, lookAhead = 0 } = execution.plan
  const lost = new Set<ReadTargetKey>()
  let left = limit
  for await (const batch of batches) {
    let rows = batch
    if (execution.losesRows) rows = (await addByShard(execution, batch, lost)).slice(0, left)
    // Rows beyond the limit, which only show that there are more, get no children: the caller does not see them.
    else await add(execution, batch.slice(0, Math.max(0, left - lookAhead)), WHOLE_TABLE)
    execution.report.hold(rows.length - batch.length)
    left -= rows.length
    if (rows.length > 0) yield rows
    if (left <= 0) return
  }
}

/** The rows of shards that have not failed: each shard by itself, so that one takes no rows but its own with it. */
async function addByShard(
  execution: Execution,
  rows: readonly PlainRow[],
  lost: Set<ReadTargetKey>,
): Promise<PlainRow[]> {
  const targetOf = targetsOf(execution)
  const targets = rows.map(targetOf)
  const keys = targets.map(targetKey)
  const byTarget = new Map<ReadTargetKey, { readonly target: ReadTarget; readonly own: PlainRow[] }>()
  for (const [at, key] of keys.entries()) {
    if (lost.has(key)) continue
    const known = byTarget.get(key)
    if (known) known.own.push(rows[at]!)
    else byTarget.set(key, { target: targets[at]!, own: [rows[at]!] })
  }
  await Promise.all(
    [...byTarget].map(async ([key, { target, own }]) => {
      try {
        await add(execution, own, target)
      } catch (error) {
        execution.lose(target, error)
        lost.add(key)
      }
    }),
  )
  return rows.filter((_, at) => !lost.has(keys[at]))
}

/** Returns the shard and bucket of a row. */
function targetsOf({ table: { layout } }: Execution): (row: PlainRow) => ReadTarget {
  const { property } = layout.shard!.column
  const bucket = partitionFields(layout).find(bucketSource)?.column.property
  return (row) => ({
    shard: Number(row[property]),
    ...(bucket !== undefined && { bucket: bucketText(row[bucket] as Bucket) }),
  })
}

async function add(execution: Execution, rows: readonly PlainRow[], target: ReadTarget): Promise<void> {
  const { table, includes, plan, report } = execution
  const added = await addChildren(execution, table, rows, includes, plan.includes!, target)
  // They are returned with their rows.
  report.hold(-added)
}

/** Batches of index entries as rows: looked up by their keys, at the same timestamp. */
export async function* backJoined(
  entries: AsyncIterable<PlainRow[]>,
  execution: Execution,
): AsyncGenerator<PlainRow[], PlanOutcome, undefined> {
  const { table, matches, report, plan } = execution
  const { layout, codec } = table
  const { limit = Infinity } = plan
  let left = limit
  for await (const batch of entries) {
    const keys = batch.map((entry) => keyWires(layout, entry))
    const cells = await execution.calling(WHOLE_TABLE, (reader, options) =>
      reader.read({ layout, columns: codec.columns, keys }, options),
    )
    execution.count(WHOLE_TABLE, cells.length)
    // They come in the order of the table's key.
    const byKey = new Map<string, PlainRow>()
    for (const each of cells) {
      const row = codec.decode(each)
      byKey.set(JSON.stringify(keyWires(layout, row)), row)
    }
    const rows = keys
      .map((key) => byKey.get(JSON.stringify(key))!)
      .filter((row) => !matches || matches(row) === true)
      .slice(0, left)
    report.hold(rows.length - batch.length - cells.length)
    left -= rows.length
    if (rows.length > 0) yield rows
    if (left <= 0) break
  }
  return { found: limit - left }
}
