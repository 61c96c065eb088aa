import type { ColumnDeclaration } from '@isotherm/core/adapter'
import { is, SQL, type Column } from 'drizzle-orm'
import { sqlInSchema } from '../to-drizzle/model-sql.js'
import type { DdlWords, TableKind } from './table-kind.js'

/** What a column's declaration says to Isotherm. @param order set where it is a key part */
export function columnDeclaration(
  column: Column,
  order: 'asc' | 'desc' | undefined,
  kind: TableKind,
  words: DdlWords,
): ColumnDeclaration {
  const { parentKey: _, key: __, ...declaration } = kind.declarationOf(column)
  // No key part of a PostgreSQL database is NULL, whether its column says so or not.
  const isNeverNull = order !== undefined && kind.dialect === 'spanner-postgresql'
  return {
    ...declaration,
    name: words.columnName(column),
    nullable: !column.notNull && !isNeverNull,
    ...(order && { key: order }),
    ...defaultOf(column, kind, words),
    ...generatedBy(column, kind, words),
  }
}

function defaultOf(column: Column, kind: TableKind, words: DdlWords): ColumnDeclaration {
  const { default: value } = column
  // NULL is what a column without a default has.
  if (value === undefined || value === null) return {}
  const source = kind.sourceOfDefault(column)
  if (source) return { source }
  return { default: sqlInSchema(value, kind.dialect, () => words.valueOf(column, value)) }
}

function generatedBy(column: Column, kind: TableKind, words: DdlWords): ColumnDeclaration {
  const expression = generatedAs(column)
  if (expression === undefined) return {}
  return {
    generated: {
      expression: sqlInSchema(expression, kind.dialect, () => words.valueOf(column, expression)),
      stored: column.generated?.mode !== 'virtual',
    },
  }
}

/** What a generated column was told that it is: SQL, or a value. */
export function generatedAs({ generated }: Column): unknown {
  if (!generated) return undefined
  const { as } = generated
  return typeof as === 'function' && !is(as, SQL) ? (as as () => SQL)() : as
}
