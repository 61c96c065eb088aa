import type { PlannedCall } from './calls.js'
import type { PlannedInclude } from '../children/include-plan.js'
import type { FanOutPlan } from './plan.js'

const SHOWN_CALLS = 3

/** A plan that can be printed: `String(plan)`. */
export interface ExplainedPlan extends FanOutPlan {
  toString(): string
}

/** Gives a plan a text for people; as data it stays what it was. */
export function explain(plan: FanOutPlan): ExplainedPlan {
  return Object.defineProperty({ ...plan }, 'toString', { value: () => planText(plan) })
}

function upTo(call: PlannedCall): string {
  return call.kind === 'read' && call.upTo ? ' up to the last of those' : ''
}

/** A line for each include, those of children named after the property that they are in. */
function includeLines(includes: readonly PlannedInclude[], path: string): string[] {
  return includes.flatMap(({ name, table, via, reason, filter, order, limit, includes: nested }) => {
    const terms = order.map((term) => `${term.property} ${term.order}`)
    const asked = [
      ...(filter ? [`filter ${JSON.stringify(filter)}`] : []),
      ...(terms.length > 0 ? [`order ${terms.join(', ')}`] : []),
      ...(limit === undefined ? [] : [`limit ${limit}`]),
    ]
    return [
      `include   ${path}${name} from ${table} by ${via}: ${reason}`,
      ...asked.map((each) => `  ${each}`),
      ...includeLines(nested, `${path}${name}.`),
    ]
  })
}

export function planText(plan: FanOutPlan): string {
  const {
    table,
    index,
    strategy,
    reason,
    shards,
    filter,
    filteredHere,
    order,
    limit,
    snapshot,
    calls,
    estimates,
    includes = [],
  } = plan
  const lines = [`${strategy} on ${table}${index === undefined ? '' : ` by ${index}`}: ${reason}`]
  if (shards) lines.push(`shards    ${shards.read.length} of ${shards.of}`)
  if (filter)
    lines.push(`filter    ${JSON.stringify(filter)}${filteredHere ? ', applied to the rows here' : ''}`)
  lines.push(`order     ${order.map((term) => `${term.property} ${term.order}`).join(', ')}`)
  if (limit !== undefined) lines.push(`limit     ${limit}`)
  lines.push(`calls     ${calls.length}${snapshot ? ', in one snapshot' : ''}`)
  for (const call of calls.slice(0, SHOWN_CALLS)) {
    const shard = call.shard === undefined ? '' : `shard ${call.shard}: `
    const asked =
      call.limit === undefined ? '' : `, ${call.limit} rows ${upTo(call) ? 'at most' : 'at first'}`
    lines.push(
      call.kind === 'read'
        ? `  ${shard}read of ${call.ranges.length} key range${call.ranges.length === 1 ? '' : 's'}${upTo(call)}${asked}`
        : `  ${shard}${call.statement.text}`,
    )
  }
  if (calls.length > SHOWN_CALLS) lines.push(`  and ${calls.length - SHOWN_CALLS} more like these`)
  lines.push(...includeLines(includes, ''))
  if (estimates) {
    const shown = Object.entries(estimates).flatMap(([name, ms]) =>
      Number.isFinite(ms) ? [`${name} ${ms.toFixed(1)} ms`] : [],
    )
    lines.push(`estimates ${shown.join(', ')}, for a table of a million rows`)
  }
  return lines.join('\n')
}
