import { IsothermError } from '../errors.js'
import { keyFields, type Field, type TableLayout } from '../dialects/layout.js'
import type { Table } from '../model/table.js'
import { derivedFill } from './derived.js'

// Two tables with the same columns and different keys: what has to hold so that a row of either tells the row of the other.

/** Why two tables cannot hold the same rows. */
export interface PairObstacle {
  readonly column?: string
  readonly message: string
  readonly fix: string
}

/**
 * Where a field's value comes from when its row comes from the other table: it is the same there (`copied`), it follows from
 * others (`derived`), or the database computes it (`generated`).
 */
export type FieldRole = 'copied' | 'derived' | 'generated'

/** @returns the role, or why it has none */
export function fieldRole(field: Field, other: TableLayout): FieldRole | PairObstacle {
  const { column } = field
  const same = other.byProperty.get(column.property)
  if (derivedFill(field)) return 'derived'
  if (column.generated && field.physical.every(({ written }) => !written)) return 'generated'
  if (column.source?.kind === 'shard' || column.source?.kind === 'hash') {
    if (same && JSON.stringify(same.column.source) === JSON.stringify(column.source)) return 'copied'
    return obstacle(
      column.property,
      'cannot be computed from the other row.',
      'Let it be the hash of columns that the table has: a row has to be found by what is in it.',
    )
  }
  if (!same || derivedFill(same)) {
    return obstacle(
      column.property,
      `has no counterpart in ${other.table.name}.`,
      'Change columns in a migration of their own: only the key may differ.',
    )
  }
  if (
    JSON.stringify(same.column.type) !== JSON.stringify(column.type) ||
    same.column.nullable !== column.nullable
  ) {
    return obstacle(
      column.property,
      `is of another type, or NULL has another say, than in ${other.table.name}.`,
      'Change columns in a migration of their own: only the key may differ.',
    )
  }
  return counterObstacle(field, same) ?? 'copied'
}

/** Ids that two tables count by themselves meet sooner or later. */
function counterObstacle({ column }: Field, same: Field): PairObstacle | undefined {
  const { source, inherited } = column
  const other = same.column.source
  if (inherited || (source?.kind !== 'bit-reversed' && other?.kind !== 'bit-reversed')) return undefined
  if (JSON.stringify(source) === JSON.stringify(other)) {
    if (source?.kind === 'bit-reversed' && source.from !== 'identity') return undefined
  }
  return obstacle(
    column.property,
    'is counted by each of the two tables for itself, so both would give out the same ids.',
    "Draw it from one sequence in both tables: @BitReversedId({ from: 'sequence', sequence: … }).",
  )
}

/** All that keeps rows of `from` from being kept in `to` as well; empty where nothing does. */
export function pairObstacles(from: TableLayout, to: TableLayout): readonly PairObstacle[] {
  return [
    ...roleObstacles(from, to),
    ...roleObstacles(to, from),
    ...keyObstacles(from, to),
    ...ruleObstacles(from, to),
  ]
}

function roleObstacles(layout: TableLayout, other: TableLayout): PairObstacle[] {
  return layout.fields.flatMap((field) => {
    const role = fieldRole(field, other)
    if (typeof role !== 'string') return [role]
    const inKey = keyFields(layout).includes(field)
    if (role === 'generated' && inKey) {
      return [
        obstacle(
          field.column.property,
          'is a key part that only the database can compute.',
          'Use @HashKey or @ShardKey, which the client computes too, in its place.',
        ),
      ]
    }
    return []
  })
}

/** The key's properties that are no hashes of others. */
export function plainKey(layout: TableLayout): readonly string[] {
  return keyFields(layout)
    .filter((field) => !derivedFill(field))
    .map((field) => field.column.property)
}

/** Rows that the old key tells apart must not fall together under the new one. */
function keyObstacles(from: TableLayout, to: TableLayout): PairObstacle[] {
  const kept = plainKey(to)
  return plainKey(from)
    .filter((property) => !kept.includes(property))
    .map((property) =>
      obstacle(
        property,
        `is in the key of ${from.table.name} and not in that of ${to.table.name}: rows could fall together and be lost.`,
        'Keep it in the new key, at its end if need be.',
      ),
    )
}

/** What the database does to rows by itself has to happen to both. */
function ruleObstacles({ table: from }: TableLayout, { table: to }: TableLayout): PairObstacle[] {
  const obstacles: PairObstacle[] = []
  if (JSON.stringify(from.rowDeletion) !== JSON.stringify(to.rowDeletion)) {
    obstacles.push(
      obstacle(
        undefined,
        'deletes old rows in another way.',
        'Give both tables the same row deletion policy.',
      ),
    )
  }
  if (cascades(from) !== cascades(to)) {
    obstacles.push(
      obstacle(
        undefined,
        'has other foreign keys that delete its rows.',
        'Give both tables the same foreign keys with onDelete: cascade.',
      ),
    )
  }
  return obstacles
}

function cascades({ foreignKeys }: Table): string {
  return foreignKeys
    .filter(({ onDelete }) => onDelete === 'cascade')
    .map(({ columns, table, references }) => JSON.stringify([columns, table, references]))
    .sort()
    .join()
}

function obstacle(column: string | undefined, message: string, fix: string): PairObstacle {
  return { ...(column !== undefined && { column }), message, fix }
}

/** @throws {IsothermError} `UNSUPPORTED` with the first reason why two tables cannot hold the same rows. */
export function refuseObstacles(from: TableLayout, to: TableLayout): void {
  const [first] = pairObstacles(from, to)
  if (!first) return
  const { column, message, fix } = first
  const where = column === undefined ? from.table.name : `${from.table.name}.${column}`
  throw new IsothermError('UNSUPPORTED', `${where} cannot be kept in ${to.table.name} too: it ${message}`, {
    fix,
    table: from.table.name,
    ...(column !== undefined && { column }),
  })
}
