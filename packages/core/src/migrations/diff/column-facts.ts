import { notNullClause } from '../../dialects/ddl/clauses.js'
import { counterChanges } from '../../dialects/ddl/counter-changes.js'
import type { DefinedColumn } from '../../dialects/ddl/defined-column.js'
import type { Made } from '../../dialects/layout.js'
import { folded, sameName } from '../names.js'
import type { LaidColumn, PhysicalTable } from '../physical-schema.js'
import type { DiffContext } from './context.js'

export interface ComparedTables {
  readonly from: PhysicalTable
  readonly to: PhysicalTable
  /** Folded names of key columns that child tables have too. */
  readonly inherited: ReadonlySet<string>
  /** The columns that get another name: old name to new. */
  readonly renamed: ReadonlyMap<string, string>
}

/** What is known of a table's columns when one of them is compared. */
export interface ComparedColumns extends ComparedTables {
  /** Generated columns, as they were, that are still there when others change. */
  readonly lingering: readonly LaidColumn[]
}

export function keyColumns(...tables: readonly PhysicalTable[]): ReadonlySet<string> {
  return new Set(tables.flatMap(({ key }) => key.map(({ column }) => folded(column))))
}

/** The column without what only the comparison needs. */
export function defined({ name, type, nullable, made, hidden }: LaidColumn): DefinedColumn {
  return { name, type, nullable, ...(made && { made }), ...(hidden && { hidden }) }
}

export function isNotNull(column: LaidColumn): boolean {
  return notNullClause(column).length > 0
}

/** Types of one kind differ in their length only. */
export function kindOf({ type }: LaidColumn): string {
  const scalar = type.kind === 'array' ? type.of : type
  const kind = scalar.kind === 'uuid' ? (scalar.storage === 'native' ? 'uuid' : 'string') : scalar.kind
  return type.kind === 'array' ? `array of ${kind}` : kind
}

export function isSameMade(context: DiffContext, one: Made, other: Made): boolean {
  switch (one.by) {
    case 'default':
      return other.by === 'default' && context.same(one.expression, other.expression)
    case 'generated':
      return (
        other.by === 'generated' &&
        one.stored === other.stored &&
        context.same(one.expression, other.expression)
      )
    case 'identity':
      return other.by === 'identity' && Object.keys(counterChanges(one, other)).length === 0
    case 'sequence':
      return other.by === 'sequence' && sameName(one.sequence, other.sequence)
    case 'commit-timestamp':
      return other.by === 'commit-timestamp'
  }
}

export function expressionOf({ made }: LaidColumn): string {
  return made?.by === 'generated' ? made.expression : ''
}
