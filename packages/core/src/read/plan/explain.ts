import type { FanOutPlan } from './plan.js'
import type { PlannedCall } from './calls.js'
import type { PlannedInclude } from './include.js'

const SHOWN_CALLS = 3

/** A plan that can be printed: `String(plan)`. */
export interface ExplainedPlan extends FanOutPlan {
  toString(): string
}

/** Gives a plan a text for people to read; as data it does not change. */
export function explain(plan: FanOutPlan): ExplainedPlan {
  return Object.defineProperty({ ...plan }, 'toString', { value: () => planText(plan) })
}

function upTo(call: PlannedCall): string {
  return call.kind === 'read' && call.upTo ? ' up to the last of those' : ''
}

/** The target of a call, at the beginning of a line. */
function targetLabel(call: PlannedCall): string {
  const bucket = call.kind === 'read' ? call.bucket : undefined
  const parts = [bucket, call.shard === undefined ? undefined : `shard ${call.shard}`]
  const named = parts.filter((each) => each !== undefined)
  return named.length === 0 ? '' : `${named.join(', ')}: `
}

function backwards(call: PlannedCall): string {
  return call.kind === 'read' && call.reversed ? ' backwards' : ''
}

/** Buckets are not all read where a limit ends the scan. */
function asFar(plan: FanOutPlan): string {
  return isPart(plan) && plan.limit !== undefined ? ' at most' : ''
}

/** Whether more buckets may follow those of the planned calls. */
function isPart({ strategy, partitions = 0, calls }: FanOutPlan): boolean {
  return (strategy === 'bucket-scan' || strategy === 'client-sort') && calls.length < partitions
}

/** A line for each include, those of children named after the property that they are in. */
function includeLines(includes: readonly PlannedInclude[], path: string): string[] {
  return includes.flatMap(({ name, table, strategy, reason, filter, order, limit, includes: nested }) => {
    const terms = order.map((term) => `${term.property} ${term.order}`)
    const clauses = [
      ...(filter ? [`filter ${JSON.stringify(filter)}`] : []),
      ...(terms.length > 0 ? [`order ${terms.join(', ')}`] : []),
      ...(limit === undefined ? [] : [`limit ${limit}`]),
    ]
    return [
      `include   ${path}${name} from ${table} by ${strategy}: ${reason}`,
      ...clauses.map((each) => `  ${each}`),
      ...includeLines(nested, `${path}${name}.`),
    ]
  })
}

function planText(plan: FanOutPlan): string {
  const {
    table,
    index,
    strategy,
    reason,
    shards,
    partitions,
    buckets,
    filter,
    clientFilter,
    order,
    limit,
    snapshot,
    calls,
    estimates,
    includes = [],
  } = plan
  const lines = [`${strategy} on ${table}${index === undefined ? '' : ` by ${index}`}: ${reason}`]
  if (shards) lines.push(`shards    ${shards.read.length} of ${shards.of}`)
  if (buckets) {
    const { by, of, first, last, count } = buckets
    lines.push(`buckets   ${count}, each a ${by} of ${of}: ${first === last ? first : `${first} to ${last}`}`)
  }
  if (partitions !== undefined) {
    const rows = strategy === 'client-sort' ? ', all rows of each' : ''
    lines.push(`reads     ${partitions} partition${partitions === 1 ? '' : 's'}${asFar(plan)}${rows}`)
  }
  if (filter)
    lines.push(`filter    ${JSON.stringify(filter)}${clientFilter ? ', applied on the client' : ''}`)
  lines.push(`order     ${order.map((term) => `${term.property} ${term.order}`).join(', ')}`)
  if (limit !== undefined) lines.push(`limit     ${limit}`)
  const moment = snapshot
    ? ', in one snapshot'
    : partitions === undefined
      ? ''
      : ', each at its own timestamp'
  lines.push(`calls     ${calls.length}${isPart(plan) ? ' at first' : ''}${moment}`)
  for (const call of calls.slice(0, SHOWN_CALLS)) {
    const shard = targetLabel(call)
    const limitText =
      call.limit === undefined ? '' : `, ${call.limit} rows ${upTo(call) ? 'at most' : 'at first'}`
    lines.push(
      call.kind === 'read'
        ? `  ${shard}read of ${call.ranges.length} key range${call.ranges.length === 1 ? '' : 's'}${backwards(call)}${upTo(call)}${limitText}`
        : `  ${shard}${call.statement.text}`,
    )
  }
  if (calls.length > SHOWN_CALLS) lines.push(`  and ${calls.length - SHOWN_CALLS} more like these`)
  for (const line of includeLines(includes, '')) lines.push(line)
  if (estimates) {
    const shown = Object.entries(estimates).flatMap(([name, ms]) =>
      Number.isFinite(ms) ? [`${name} ${ms.toFixed(1)} ms`] : [],
    )
    lines.push(`estimates ${shown.join(', ')}, for a table of a million rows`)
  }
  return lines.join('\n')
}
