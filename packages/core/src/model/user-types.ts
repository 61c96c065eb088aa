import type { SchemaFinding } from '../errors.js'
import type { ColumnDefinition } from './column.js'
import { typesWithin, type ColumnType, type UserTypeField } from './column-type.js'
import { modelName } from './model.js'
import type { Schema, UserType } from './schema.js'
import type { TableDefinition } from './table.js'
import { userTypeShapeFindings } from './shapes.js'
import { DECLARE_USER_TYPE, frozenType, userTypeOf, type UserTypeDefinition } from './user-type.js'

/**
 * The user types of columns, and those that a schema names in addition. If there are none, the schema has no property for
 * them, so that schemas without user types do not change.
 */
export function schemaUserTypes(
  tables: readonly TableDefinition[],
  declared: readonly object[],
  findings: SchemaFinding[],
): Pick<Schema, 'userTypes'> {
  const definitions = new Set<UserTypeDefinition>()
  const gather = (models: readonly object[]): void => {
    for (const model of models) {
      const definition = userTypeOf(model)
      if (!definition) {
        findings.push({
          table: modelName(model),
          message: 'is not a user type.',
          fix: DECLARE_USER_TYPE,
        })
      } else if (!definitions.has(definition)) {
        const shapes = userTypeShapeFindings(definition)
        for (const each of shapes) findings.push(each)
        // A declaration of the wrong shape cannot be resolved.
        if (shapes.length > 0) continue
        definitions.add(definition)
        gather(definition.fields.flatMap(({ userTypes = [] }) => userTypes))
      }
    }
  }
  gather(tables.flatMap(({ columns }) => columns.flatMap(({ userTypes = [] }) => userTypes)))
  gather(declared)
  if (definitions.size === 0) return {}
  return { userTypes: innerFirst([...definitions].map((definition) => resolved(definition, findings))) }
}

function resolved({ name, fields }: UserTypeDefinition, findings: SchemaFinding[]): UserType {
  return { name, fields: fields.flatMap((field) => resolvedField(name, field, findings) ?? []) }
}

/** The options of a field of a user type. */
const OF_FIELDS: ReadonlySet<string> = new Set(['property', 'type', 'nullable', 'userTypes'])

function resolvedField(
  userType: string,
  field: ColumnDefinition,
  findings: SchemaFinding[],
): UserTypeField | undefined {
  const { property, type, nullable } = field
  const other = Object.keys(field).find((said) => !OF_FIELDS.has(said))
  if (other !== undefined) {
    findings.push({
      table: userType,
      column: property,
      message: `is a field of a user type, and declares ${other}.`,
      fix: 'A field has a type, and may be nullable: remove the rest.',
    })
  }
  if (!type) {
    findings.push({
      table: userType,
      column: property,
      message: 'has no type.',
      fix: 'Declare it: @Column.string(), @Column.int64(), @Column.timestamp() …',
    })
    return undefined
  }
  // Values within a type cannot be stored item by item.
  return { name: property, type: frozenType(type), ...(nullable && { nullable }) }
}

/** Each type after those that it consists of; as far as possible, if types contain each other. */
function innerFirst(types: readonly UserType[]): UserType[] {
  const sorted = new Set<UserType>()
  const underway = new Set<UserType>()
  const add = (type: UserType): void => {
    if (underway.has(type)) return
    underway.add(type)
    for (const inner of types) if (namesWithin(type).includes(inner.name)) add(inner)
    sorted.add(type)
  }
  for (const type of types) add(type)
  return [...sorted]
}

function namesWithin({ fields }: UserType): readonly string[] {
  return fields.flatMap(({ type }) => userTypeNames(type))
}

/** The user types that a type names, itself or within. */
export function userTypeNames(type: ColumnType): readonly string[] {
  return typesWithin(type).flatMap((each) => (each.kind === 'udt' ? [each.name] : []))
}
