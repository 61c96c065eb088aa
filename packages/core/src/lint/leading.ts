import type { LintedDialect } from '../engine/lint-rule.js'
import type { Column } from '../model/column.js'
import type { KeyPart } from '../model/key.js'
import { columnOf, type Table } from '../model/table.js'
import { fewValuesOf, type FewValues } from './few-values.js'
import { growthOf, type Growth } from './growth.js'
import { count, isLight, strain, type KeyRanges } from './load.js'

/** The part that decides where new rows, or entries of an index, go, where all of them go to one key range, or to few. */
export interface HotLead {
  readonly part: KeyPart
  readonly column: Column
  readonly growth: Growth
  /**
   * False if only a name indicates it, if there are several key ranges, or if the parts that follow may still spread rows.
   */
  readonly certain: boolean
  /** The parts before it that have one value, or few. */
  readonly after: readonly FewValues[]
  /** How many key ranges take all inserts; undefined if only names indicate that they are few. */
  readonly keyRanges: number | undefined
}

/** The reason why these leading parts are a hotspot; undefined if they are not one, as far as a schema shows. */
export function hotLead(
  table: Table,
  parts: readonly KeyPart[],
  dialect: LintedDialect,
  ranges: KeyRanges,
): HotLead | undefined {
  const after: FewValues[] = []
  for (const [at, part] of parts.entries()) {
    const column = columnOf(table, part.property)
    if (!column) return undefined
    const growth = growthOf(table, column, dialect)
    if (!growth) {
      const few = fewValuesOf(table, column, dialect, ranges)
      if (!few) return undefined
      after.push(few)
      continue
    }
    const keyRanges = rangesBehind(after)
    if (isSpread(table, keyRanges, after, ranges)) return undefined
    const grows =
      growth.kind === 'grows' ||
      (growth.kind === 'stands' && isHot(table, parts.slice(at + 1), dialect, ranges))
    return { part, column, growth, certain: grows && keyRanges === 1, after, keyRanges }
  }
  return undefined
}

function rangesBehind(after: readonly FewValues[]): number | undefined {
  return after.reduce<number | undefined>(
    (keyRanges, { values }) =>
      keyRanges === undefined || values === undefined ? undefined : keyRanges * values,
    1,
  )
}

/** Whether the key ranges together are many, or can take the expected load. */
function isSpread(
  { workload }: Table,
  keyRanges: number | undefined,
  after: readonly FewValues[],
  ranges: KeyRanges,
): boolean {
  if (after.length === 0 || keyRanges === 1) return false
  if (isLight(workload, ranges)) return true
  if (keyRanges === undefined) return false
  const writes = workload?.writesPerSecond
  return keyRanges > MANY_RANGES || (writes !== undefined && strain(writes / keyRanges, ranges) === 'none')
}

/** As many as a small instance can use. */
const MANY_RANGES = 32

function isHot(table: Table, parts: readonly KeyPart[], dialect: LintedDialect, ranges: KeyRanges): boolean {
  return hotLead(table, parts, dialect, ranges)?.certain ?? parts.length === 0
}

/** The part in words, for a message that says what a key or an index starts with. */
export function described({ column, growth, part, after }: HotLead): string {
  const before = after
    .map((each) => `${each.column.property}, which ${valuesInWords(each)}, and then `)
    .join('')
  return `${before}${column.property}, which ${growth.how}${part.order === 'desc' ? ' (descending is no better)' : ''}`
}

function valuesInWords({ values }: FewValues): string {
  if (values === undefined) return 'to judge by its name has few values'
  return values === 1 ? 'has one value' : `has ${count(values)} values`
}

/** Where all inserts go, in words. */
export function whereInsertsGo({ keyRanges, after }: HotLead, one: string, each: string): string {
  if (keyRanges === 1) return one
  return keyRanges === undefined
    ? `one ${each} for each value of ${after.map(({ column }) => column.property).join(', ')}`
    : `${count(keyRanges)} ${each}s`
}
