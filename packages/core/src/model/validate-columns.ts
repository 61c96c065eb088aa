import {
  type ColumnType,
  canBeKey,
  describeType,
  innerTypes,
  isComposite,
  isFrozen,
  typesWithin,
} from './column-type.js'
import { NAMES_DIFFER, type Report, checkIdentifier, reportTo } from './validate-names.js'
import { isKept } from './column-default.js'
import type { Column } from './column.js'
import { type Table, cellsExpire, columnOf, partitionLength } from './table.js'
import type { Schema, Sequence, UserType } from './schema.js'
import type { SchemaFinding } from '../errors.js'
import { userTypeNames } from './user-types.js'

/** Reports problems of a column's type, or of the type of a user type's field. */
function checkType(type: ColumnType, report: Report, property: string): void {
  for (const each of typesWithin(type)) {
    checkSize(each, report, property)
    for (const inner of innerTypes(each)) checkInner(each, inner, report, property)
  }
}

function checkSize(type: ColumnType, report: Report, property: string): void {
  const length = type.kind === 'string' || type.kind === 'bytes' ? type.length : 'max'
  if (length !== 'max' && (!Number.isSafeInteger(length) || length < 1)) {
    report(`has the length ${length}.`, "A length is a whole number from 1, or 'max'.", property)
  }
  if (type.kind === 'tuple' && type.of.length === 0)
    report('is a tuple without types.', 'Name the types of its values.', property)
  if (type.kind === 'vector' && (!Number.isSafeInteger(type.dimensions) || type.dimensions < 1)) {
    report(`has ${type.dimensions} dimensions.`, 'A vector has a whole number of them, from 1.', property)
  }
}

function checkInner(outer: ColumnType, inner: ColumnType, report: Report, property: string): void {
  const where = outer.kind === 'array' ? 'an array' : `a ${outer.kind}`
  if (isComposite(inner) && !isFrozen(inner)) {
    report(
      `is ${where} of ${describeType(inner)} that is not frozen, but a type within a type has to be frozen.`,
      'Add frozen: true to its type.',
      property,
    )
  }
  if (inner.kind === 'counter') {
    report(
      `is ${where} of counters, but a counter has to be a column of its own.`,
      'Make each counter a column, or a row of a table of counters.',
      property,
    )
  }
  if (inner.kind === 'uuid' && (inner.storage === 'int64-pair' || inner.storage === 'bytes')) {
    report(
      `is ${where} of UUIDs stored as '${inner.storage}', which holds one value a column.`,
      `Use storage 'text' or 'native' in ${where}.`,
      property,
    )
  }
}

/** Names that `where` uses besides properties. */
const RESERVED = new Set(['AND', 'OR', 'NOT'])
const ANOTHER_NAME = "Give the property another name; `name` can keep the column's."

export function checkColumns(table: Table, report: Report): void {
  if (table.columns.length === 0) report('has no columns.', 'Declare at least its key.')
  const names = new Map<string, string>()
  const properties = new Set<string>()
  for (const column of table.columns) {
    const { property, name, type } = column
    checkIdentifier(name, report, property)
    if (RESERVED.has(property)) {
      report('has the name of a filter operator.', ANOTHER_NAME, property)
    }
    if (property in Object.prototype) {
      report('has a name that JavaScript reserves for all objects.', ANOTHER_NAME, property)
    }
    if (properties.has(property)) report('is declared twice.', 'Keep one of the two.', property)
    properties.add(property)
    const other = names.get(name.toLowerCase())
    if (other !== undefined && other !== property) {
      report(`has the same column name as ${other}.`, 'Give one of them another name.', property)
    }
    names.set(name.toLowerCase(), property)
    checkType(type, report, property)
    checkMaking(table, column, report)
  }
  for (const { name } of table.opaqueColumns ?? []) {
    checkIdentifier(name, report, name)
    const other = names.get(name.toLowerCase())
    if (other !== undefined)
      report(`is an opaque column with the name of ${other}.`, 'Keep one of the two.', name)
    names.set(name.toLowerCase(), name)
  }
}

/** A column's value comes from one place. */
function checkMaking(table: Table, column: Column, report: Report): void {
  const { property, source, generated } = column
  const origins = [
    ...(source && !column.inherited ? ['a key value that is made for it'] : []),
    ...(column.default === undefined ? [] : ['a default']),
    ...(generated ? ['a generated expression'] : []),
  ]
  if (
    column.type.kind === 'uuid' &&
    column.type.storage === 'int64-pair' &&
    ((column.default && 'sql' in column.default) || generated)
  ) {
    report(
      'is stored in two columns, which one expression cannot compute.',
      "Remove the expression, or use storage 'text', 'bytes' or 'native'.",
      property,
    )
  }
  if (column.default && 'value' in column.default && !isKept(column.type, column.default))
    report('has a default that is not a value of its type.', "Give a value of the column's type.", property)
  if (origins.length > 1) report(`has ${origins.join(' and ')}.`, 'Keep one of them.', property)
  if (generated?.notNull && (generated.stored || column.nullable)) {
    report(
      'declares notNull, which is for a generated column that is neither stored nor nullable.',
      column.nullable ? 'Remove nullable.' : 'Leave notNull out: a stored column is NOT NULL already.',
      property,
    )
  }
  if (generated && !generated.stored && table.primaryKey.some((part) => part.property === property)) {
    report('is a key part that is generated, but not stored.', 'Leave `stored: false` out.', property)
  }
}

/**
 * A table of counters has only counters beside its key, and its rows come into being when they are incremented.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/types.html#counters
 */
export function checkCounterTable(table: Table, report: Report): void {
  const beside = table.columns.filter(
    ({ property }) => !table.primaryKey.some((part) => part.property === property),
  )
  const counters = beside.filter(({ type }) => type.kind === 'counter')
  if (counters.length === 0) return
  const others = beside.filter(({ type }) => type.kind !== 'counter')
  if (others.length > 0) {
    report(
      `has counters beside other columns: ${others.map(({ property }) => property).join(', ')}.`,
      'A counter table has nothing else beside its key: put the counters in a table of their own, with the same key.',
    )
  }
  for (const { property, source, default: defaultValue, generated } of counters) {
    if (source || defaultValue !== undefined || generated)
      report(
        'is a counter, whose value cannot be set.',
        'Take away what makes its value: it begins at 0.',
        property,
      )
  }
  if (cellsExpire(table))
    report(
      'has counters and an expiry, but counters never expire.',
      `Take ${table.ttlSeconds === undefined ? 'writesExpire' : 'ttlSeconds'} away, and delete rows that you no longer need.`,
    )
}

const MAX_INT64 = 2n ** 63n - 1n

function isPositiveInt64(text: string): boolean {
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) return false
  return BigInt(text) >= 1n && BigInt(text) <= MAX_INT64
}

/** The counters of a sequence, or of a column that is one. */
export function checkCounters(
  { startCounter, skipRange }: Pick<Sequence, 'startCounter' | 'skipRange'>,
  report: Report,
  column?: string,
): void {
  if (startCounter !== undefined && !isPositiveInt64(startCounter)) {
    report(`starts at ${startCounter}.`, 'startCounter is a positive 64-bit integer.', column)
  }
  if (
    skipRange &&
    !(
      isPositiveInt64(skipRange[0]) &&
      isPositiveInt64(skipRange[1]) &&
      BigInt(skipRange[0]) <= BigInt(skipRange[1])
    )
  ) {
    report(
      `skips ${skipRange[0]} to ${skipRange[1]}.`,
      'skipRange is two positive 64-bit integers, the lower one first.',
      column,
    )
  }
}

export function checkStaticColumns(table: Table, report: Report): void {
  for (const { property, static: isStatic } of table.columns) {
    if (!isStatic) continue
    if (table.primaryKey.some((part) => part.property === property)) {
      report(
        'is both static and a key part.',
        'Remove static; a part of the partition key is the same in all its rows anyway.',
        property,
      )
    } else if (partitionLength(table) >= table.primaryKey.length) {
      report(
        'is static, but the table has one row per partition.',
        'Remove static, or add a key part after the partition key.',
        property,
      )
    }
  }
}

/** User types have a name space of their own; what columns and fields name is there. */
export function checkUserTypes({ tables, userTypes = [] }: Schema, findings: SchemaFinding[]): void {
  const folded = new Set<string>()
  for (const type of userTypes) {
    const report = reportTo(findings, type.name)
    checkIdentifier(type.name, report)
    if (folded.has(type.name.toLowerCase()))
      report('has the same name as another user type.', `Rename one: ${NAMES_DIFFER}`)
    folded.add(type.name.toLowerCase())
  }
  for (const type of userTypes) checkFields(type, userTypes, reportTo(findings, type.name))
  for (const type of userTypes) {
    const { name } = type
    if (!fieldTypes({ kind: 'udt', name }, userTypes).some((each) => userTypeNames(each).includes(name)))
      continue
    reportTo(findings, name)('contains itself.', 'Store the name or key of the inner value instead.')
  }
  for (const table of tables) {
    const report = reportTo(findings, table.name)
    for (const { type, property } of table.columns) {
      checkWithin(type, userTypes, report, property)
    }
    checkKey(table, userTypes, report)
  }
}

function checkFields({ fields }: UserType, types: readonly UserType[], report: Report): void {
  if (fields.length === 0) report('has no fields.', 'Declare at least one.')
  const names = new Set<string>()
  for (const { name, type } of fields) {
    checkIdentifier(name, report, name)
    const folded = name.toLowerCase()
    if (names.has(folded)) report('is declared twice.', 'Keep one of the two.', name)
    names.add(folded)
    checkType(type, report, name)
    if (type.kind === 'counter')
      report('is a counter within a user type.', 'A counter is a column of its own.', name)
    checkWithin(type, types, report, name)
  }
}

/** The user types that a type names have to exist. Items of a set and keys of a map are ordered, and equal ones are stored once. */
function checkWithin(type: ColumnType, types: readonly UserType[], report: Report, property: string): void {
  for (const name of userTypeNames(type)) {
    if (types.some((each) => each.name === name)) continue
    report(
      `is of the user type ${name}, which is not in this schema.`,
      'Name its model, t.udt(Model), or pass it to defineSchema: userTypes: [Model].',
      property,
    )
  }
  for (const each of typesWithin(type)) {
    const key = each.kind === 'set' ? each.of : each.kind === 'map' ? each.key : undefined
    if (!key || ![key, ...fieldTypes(key, types)].some(hasDuration)) continue
    report(
      `is a ${describeType(each)}, and durations have no order.`,
      'Put them in an array, or in values of a map.',
      property,
    )
  }
}

function hasDuration(type: ColumnType): boolean {
  return typesWithin(type).some(({ kind }) => kind === 'duration')
}

/** A type that cannot be a key cannot be nested in one either. */
function checkKey(table: Table, types: readonly UserType[], report: Report): void {
  for (const { property } of table.primaryKey) {
    const column = columnOf(table, property)
    const hidden = column && fieldTypes(column.type, types).find((type) => !canBeKey(type))
    if (!hidden) continue
    report(
      `is in the primary key, but contains ${describeType(hidden)}, which cannot be in a key.`,
      'Choose another column, or take that field out of the user type.',
      property,
    )
  }
}

/** The types of all fields of the user types that a type names. */
function fieldTypes(
  type: ColumnType,
  types: readonly UserType[],
  seen = new Set<string>(),
): readonly ColumnType[] {
  return typesWithin(type).flatMap((each) => {
    if (each.kind !== 'udt' || seen.has(each.name)) return []
    seen.add(each.name)
    const fields = types.find(({ name }) => name === each.name)?.fields ?? []
    return fields.flatMap((field) => [field.type, ...fieldTypes(field.type, types, seen)])
  })
}
