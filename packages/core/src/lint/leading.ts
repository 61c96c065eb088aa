import type { Column } from '../model/column.js'
import type { KeyPart } from '../model/key.js'
import type { DialectName } from '../model/sql-expression.js'
import { columnOf, type Table } from '../model/table.js'
import { growthOf, type Growth } from './growth.js'

/** The part that decides where new rows, or entries of an index, go, where all of them go to one place. */
export interface HotLead {
  readonly part: KeyPart
  readonly column: Column
  readonly growth: Growth
  /** False where only a name says so, or where the parts that follow may still spread the rows of one time. */
  readonly certain: boolean
  /** The shards before it, if any: one value each, so that they spread nothing. */
  readonly after: readonly Column[]
}

/** What makes these parts hot at their beginning; undefined where they are not, as far as a schema tells. */
export function hotLead(table: Table, parts: readonly KeyPart[], dialect: DialectName): HotLead | undefined {
  const after: Column[] = []
  for (const [at, part] of parts.entries()) {
    const column = columnOf(table, part.property)
    if (!column) return undefined
    if (isSingleShard(column)) {
      after.push(column)
      continue
    }
    const growth = growthOf(table, column, dialect)
    if (!growth) return undefined
    const certain =
      growth.kind === 'grows' || (growth.kind === 'stands' && isHot(table, parts.slice(at + 1), dialect))
    return { part, column, growth, certain, after }
  }
  return undefined
}

function isHot(table: Table, parts: readonly KeyPart[], dialect: DialectName): boolean {
  return hotLead(table, parts, dialect)?.certain ?? parts.length === 0
}

function isSingleShard({ source }: Column): boolean {
  return source?.kind === 'shard' && source.shards === 1
}

/** The part in words, for a message that says what a key or an index starts with. */
export function described({ column, growth, part, after }: HotLead): string {
  const shard = after.map((each) => `${each.property}, which has one value, and then `).join('')
  return `${shard}${column.property}, which ${growth.how}${part.order === 'desc' ? ' (descending is no better)' : ''}`
}
