import type { Row } from '@isotherm/core'
import { hottest, shardBars } from './heat.js'
import type { Ingested } from './ingest.js'
import type { RequestLog } from './request-log.js'
import { bar, count, counted, cut, fit, heading, percent, printable, wrap } from './text.js'

// Each section of what the demo prints, as lines. No section knows where its facts came from.

export type Request = Row<RequestLog>

export function ddlSection(statements: readonly string[], width: number): string[] {
  return [...heading('The table'), ...statements.flatMap((statement) => wrap(`${statement};`, width))]
}

/** @param inTable how many rows the table says it holds */
export function storedSection(ingested: Ingested, inTable: number, width: number): string[] {
  const { read, malformed, seconds, stored } = ingested
  const lines = [
    `${counted(inTable, 'row')} stored of ${count(read)} read, ${count(Math.round(stored / seconds))} rows per second`,
  ]
  if (read === 0) lines.push('The log is empty: every answer below is one about no rows.')
  if (malformed.count > 0) {
    lines.push(`Left out ${counted(malformed.count, 'malformed line')}:`)
    for (const { line, text } of malformed.first) {
      lines.push(cut(`  line ${line}: ${printable(text.slice(0, width))}`, width))
    }
    const more = malformed.count - malformed.first.length
    if (more > 0) lines.push(`  and ${count(more)} more`)
  }
  return lines
}

export function heatSection(
  byShard: readonly number[],
  byClient: readonly number[],
  width: number,
): string[] {
  const { shard, share } = hottest(byShard)
  const even = percent(1 / byShard.length)
  return [
    ...heading('Rows per shard'),
    ...shardBars(byShard, width),
    '',
    ...(share === 0
      ? ['No shard has a row yet.']
      : [
          `The hottest shard, ${shard}, has ${percent(share)} of the rows; an even share is ${even} (1/${byShard.length}).`,
          'The same rows under other keys:',
          `  time first        ${percent(1).padStart(7)}  of the writes at the end of one split: one server`,
          `  hash of client    ${percent(hottest(byClient).share).padStart(7)}  of the rows in the hottest shard`,
        ]),
  ]
}

export function newestSection(rows: readonly Request[], shards: number, width: number): string[] {
  return [
    ...heading(`The newest ${counted(rows.length, 'request')} of all ${shards} shards (times in UTC)`),
    ...requestTable(rows, width),
  ]
}

/** A page and the next one; `second` is undefined where the first is the last. */
export function pagesSection(
  first: readonly Request[],
  second: readonly Request[] | undefined,
  newest: readonly Request[],
  width: number,
): string[] {
  const both = [...first, ...(second ?? [])]
  const table = requestTable(both, width)
  const lines = [
    ...heading('Page by page'),
    `Page 1, ${counted(first.length, 'row')}`,
    ...table.slice(0, first.length),
  ]
  if (second === undefined) return [...lines, 'There is no next page: the table ends here.']
  const same = both.every((row, at) => row.id === newest[at]?.id)
  return [
    ...lines,
    `Page 2, ${counted(second.length, 'row')} after the cursor of page 1`,
    ...table.slice(first.length),
    same
      ? `Page 2 goes on where page 1 ended: the two are the newest ${both.length} from above.`
      : 'The pages do NOT add up to the newest rows above: that is a bug, please report it.',
  ]
}

export function statusSection(groups: readonly { status: bigint; count: number }[], width: number): string[] {
  const rows = groups.reduce((sum, group) => sum + group.count, 0)
  const most = Math.max(1, ...groups.map((group) => group.count))
  const digits = count(most).length
  return [
    ...heading('Requests by status'),
    ...(rows === 0 ? ['None.'] : []),
    ...groups.map((group) =>
      [
        String(group.status).padStart(3),
        count(group.count).padStart(digits),
        percent(group.count / rows).padStart(7),
        bar(group.count / most, width - digits - 16),
      ]
        .join('  ')
        .trimEnd(),
    ),
  ]
}

export function planSection(plan: string, width: number): string[] {
  return [...heading('How the newest 20 were read'), ...wrap(plan, width)]
}

const CLIENT_WIDTH = 24

function requestTable(rows: readonly Request[], width: number): string[] {
  const clients = rows.map((row) => printable(row.client))
  const clientWidth = Math.min(CLIENT_WIDTH, Math.max(...clients.map((client) => client.length)))
  const requestWidth = width - 'yyyy-mm-dd hh:mm:ss'.length - clientWidth - 'status'.length - 6
  return rows.map((row, at) =>
    [
      row.time.toISOString().slice(0, 19).replace('T', ' '),
      fit(clients[at]!, clientWidth),
      fit(printable(row.method === null ? row.path : `${row.method} ${row.path}`), requestWidth),
      row.status,
    ].join('  '),
  )
}
