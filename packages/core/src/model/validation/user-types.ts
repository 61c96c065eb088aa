import type { SchemaFinding } from '../../errors.js'
import { canBeKey, describeType, typesWithin, type ColumnType } from '../column-type.js'
import type { Schema, UserType } from '../schema.js'
import { columnOf, type Table } from '../table.js'
import { userTypeNames } from '../user-types.js'
import { checkIdentifier } from './names.js'
import { reportTo, type Report } from './report.js'
import { checkType } from './types.js'

/** User types have a name space of their own; what columns and fields name is there. */
export function checkUserTypes({ tables, userTypes = [] }: Schema, findings: SchemaFinding[]): void {
  const folded = new Set<string>()
  for (const type of userTypes) {
    const report = reportTo(findings, type.name)
    checkIdentifier(type.name, report)
    if (folded.has(type.name.toLowerCase()))
      report(
        'has the same name as another user type.',
        'Rename one: names differ by more than upper and lower case.',
      )
    folded.add(type.name.toLowerCase())
  }
  const isKnown = (name: string): boolean => userTypes.some((type) => type.name === name)
  for (const type of userTypes) checkFields(type, isKnown, reportTo(findings, type.name))
  for (const type of userTypes) {
    if (!reaches(type, type.name, userTypes)) continue
    reportTo(findings, type.name)(
      'is made of itself.',
      'A type is made of others: put the name or the key of the inner value in its place.',
    )
  }
  for (const table of tables) {
    const report = reportTo(findings, table.name)
    for (const { type, property } of table.columns) checkNames(userTypeNames(type), isKnown, report, property)
    checkKey(table, userTypes, report)
  }
}

function checkFields({ fields }: UserType, isKnown: (name: string) => boolean, report: Report): void {
  if (fields.length === 0) report('has no fields.', 'Declare one at least.')
  const names = new Set<string>()
  for (const { name, type } of fields) {
    checkIdentifier(name, report, name)
    const folded = name.toLowerCase()
    if (names.has(folded)) report('is declared twice.', 'Keep one of the two.', name)
    names.add(folded)
    checkType(type, report, name)
    if (type.kind === 'counter')
      report('is a counter within a user type.', 'A counter is a column of its own.', name)
    checkNames(userTypeNames(type), isKnown, report, name)
  }
}

function checkNames(
  names: readonly string[],
  isKnown: (name: string) => boolean,
  report: Report,
  property: string,
): void {
  for (const name of names) {
    if (isKnown(name)) continue
    report(
      `is of the user type ${name}, which is not in this schema.`,
      'Name its model, t.udt(Model), or pass it to defineSchema: userTypes: [Model].',
      property,
    )
  }
}

/** What cannot be a key cannot be hidden in one. */
function checkKey(table: Table, types: readonly UserType[], report: Report): void {
  for (const { property } of table.primaryKey) {
    const column = columnOf(table, property)
    const hidden = column && fieldTypes(column.type, types).find((type) => !canBeKey(type))
    if (!hidden) continue
    report(
      `is in the primary key, and holds ${describeType(hidden)}, which is no key.`,
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

function reaches(
  from: UserType,
  name: string,
  types: readonly UserType[],
  seen = new Set<UserType>(),
): boolean {
  if (seen.has(from)) return false
  seen.add(from)
  return from.fields.some(({ type }) =>
    userTypeNames(type).some((inner) => {
      const next = types.find((each) => each.name === inner)
      return inner === name || (next !== undefined && reaches(next, name, types, seen))
    }),
  )
}
