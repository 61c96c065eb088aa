import { type SchemaFinding, shown } from '../errors.js'
import {
  type OptionKinds,
  type OptionMistake,
  anything,
  declarationMistakes,
  flag,
  listOf,
  optionMistakes,
  options,
  required,
  text,
} from '../options.js'
import type { ColumnDefinition, GeneratedColumn } from './column.js'
import { COLUMN_TYPE, sql } from './declaration-kinds.js'
import { SCHEMA } from './schema-objects.js'
import { INDEX } from './secondary-index.js'
import { TABLE, type TableDefinition } from './table.js'
import type { UserTypeDefinition } from './user-type.js'

// Checks the shape of models before they are used. The compiler has checked it already, except for models in JavaScript, or
// in TypeScript of which only the types were stripped.

const GENERATED: OptionKinds<GeneratedColumn> = {
  expression: required(sql),
  stored: required(flag),
  notNull: flag,
}

/** The results of builders and decorators; an adapter may have built one itself. */
const COLUMN_DEFINITION: OptionKinds<ColumnDefinition> = {
  property: required(text("'customerId'")),
  name: text("'customer_id'"),
  type: COLUMN_TYPE,
  nullable: flag,
  immutable: flag,
  source: anything,
  default: anything,
  generated: options(GENERATED),
  hidden: flag,
  static: flag,
  userTypes: listOf(anything),
  binding: anything,
  key: anything,
  parentKey: flag,
  mistakes: anything,
}

/** Everything in a table's declaration that is not of the shape that it has to be. */
export function tableShapeFindings(definition: TableDefinition): SchemaFinding[] {
  const { name, columns, indexes, options, mistakes = [] } = definition
  const table = typeof name === 'string' ? name : 'this table'
  return [
    ...nameFindings(table, name),
    ...findings(table, mistakes),
    ...columnFindings(table, columns),
    ...findings(table, indexMistakes(indexes)),
    ...findings(table, declarationMistakes(TABLE, options)),
  ]
}

function indexMistakes(indexes: unknown): readonly OptionMistake[] {
  const mistakes = optionMistakes({ indexes: INDEXES }, { indexes })
  if (mistakes.length > 0 || !Array.isArray(indexes)) return mistakes
  return indexes.flatMap((index: unknown, at) => declarationMistakes(INDEX, index, `indexes[${at}]`))
}

const INDEXES = listOf(options(INDEX))

/** The same of a user type. */
export function userTypeShapeFindings({ name, fields, mistakes = [] }: UserTypeDefinition): SchemaFinding[] {
  const userType = typeof name === 'string' ? name : 'this user type'
  return [
    ...nameFindings(userType, name),
    ...findings(userType, mistakes),
    ...columnFindings(userType, fields),
  ]
}

/** The same for the other objects of a schema. */
export function schemaShapeFindings(models: unknown, options: unknown): SchemaFinding[] {
  return [
    ...findings(
      'defineSchema',
      optionMistakes({ 'the list of models': required(MODELS) }, { 'the list of models': models }),
    ),
    ...findings('defineSchema', declarationMistakes(SCHEMA, options)),
  ]
}

const MODELS = listOf(anything, 'a list of models, such as [Customer, Order]')

function nameFindings(table: string, name: unknown): SchemaFinding[] {
  if (typeof name === 'string') return []
  return [{ table, message: `has the invalid name ${shown(name)}.`, fix: "Give a text, such as 'orders'." }]
}

function columnFindings(table: string, columns: readonly ColumnDefinition[]): SchemaFinding[] {
  return columns.flatMap((column) =>
    findings(table, column.mistakes ?? optionMistakes(COLUMN_DEFINITION, column), column.property),
  )
}

/** As findings of a table or a column, which is named before the message. */
export function findings(
  table: string,
  mistakes: readonly OptionMistake[],
  column?: string,
): SchemaFinding[] {
  return mistakes.map(({ message, fix }) => ({
    table,
    message,
    fix,
    ...(column !== undefined && { column }),
  }))
}
