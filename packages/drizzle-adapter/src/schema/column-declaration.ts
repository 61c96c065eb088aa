import { IsothermError, sql as markSql } from '@isotherm/core'
import { defaultValueOf, type ColumnDeclaration } from '@isotherm/core/adapter'
import { literalValue } from '@isotherm/spanner/adapter'
import { is, SQL, type Column } from 'drizzle-orm'
import { ModelDefault, sqlInSchema, sqlOf } from './model-sql.js'
import type { DdlSyntax, TableKind } from '../table-kind/table-kind.js'

/** A column's declaration for Isotherm. @param order set if it is a key part */
export function columnDeclaration(
  column: Column,
  order: 'asc' | 'desc' | undefined,
  kind: TableKind,
  words: DdlSyntax,
): ColumnDeclaration {
  const { parentKey: _, key, ...declaration } = kind.declarationOf(column)
  // No key part of a PostgreSQL database is NULL, whether its column says so or not.
  const isNeverNull = order !== undefined && kind.dialect.name === 'spanner-postgresql'
  return {
    ...declaration,
    name: words.columnName(column),
    nullable: !column.notNull && !isNeverNull,
    ...keyOf(column, order, key),
    ...defaultOf(column, kind, words),
    ...generatedBy(column, kind, words),
  }
}

/**
 * Also for a key part that `primaryKey` leaves out, and for a column that it names but that is not one: `defineSchema`
 * refuses both.
 */
function keyOf(
  { primary, name }: Column,
  order: 'asc' | 'desc' | undefined,
  declared: ColumnDeclaration['key'],
): Pick<ColumnDeclaration, 'key'> {
  if (declared === false && primary) {
    throw new IsothermError('SCHEMA_INVALID', `${name} has .primaryKey() and key: false.`, {
      fix: 'Keep key: false for a plain column, .primaryKey() for a key part.',
      column: name,
    })
  }
  const key = declared === false ? declared : (order ?? declared ?? (primary ? 'asc' : undefined))
  return key === undefined ? {} : { key }
}

function defaultOf(column: Column, kind: TableKind, words: DdlSyntax): ColumnDeclaration {
  const { default: value } = column
  // A column without a default has NULL.
  if (value === undefined || value === null) return {}
  const source = kind.sourceOfDefault(column)
  if (source) return { source }
  if (is(value, ModelDefault)) return { default: value.declaredValue }
  const text = words.valueOf(column, value)
  const { type } = kind.declarationOf(column)
  // A literal is a value, as introspection has it, however it was given.
  const literal = type && literalValue(text, type, kind.dialect.lexicalSyntax)
  return { default: literal ? defaultValueOf(type, literal.value) : markSql(sqlOf(kind.dialects, text)) }
}

function generatedBy(column: Column, kind: TableKind, words: DdlSyntax): ColumnDeclaration {
  const expression = generatedAs(column)
  if (expression === undefined) return {}
  return {
    generated: {
      expression: sqlInSchema(expression, kind.dialects, () => words.valueOf(column, expression)),
      stored: column.generated?.mode !== 'virtual',
    },
  }
}

/** The expression of a generated column: SQL, or a value. */
export function generatedAs({ generated }: Column): unknown {
  if (!generated) return undefined
  const { as } = generated
  return typeof as === 'function' && !is(as, SQL) ? (as as () => SQL)() : as
}
