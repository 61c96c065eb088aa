import { RECORDED_BY } from '../copies.js'
import type { ColumnBuilder } from './column-builder.js'
import { typeBuilders, type UserTypeBuilder } from './column-builders.js'
import { declaredColumns } from './declared-columns.js'
import { originOf } from './origin.js'
import { userTypeKey, type UserTypeDefinition, type UserTypeModel } from './user-type.js'

/**
 * Declares a user type without a class: a value of several fields, for columns of Cassandra. Composite fields are stored as
 * one value.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/types.html#udts
 *
 * @example
 * const Address = defineUserType('address', (t) => ({ street: t.string(), zip: t.ascii({ nullable: true }) }))
 * const Person = defineTable('person', (t) => ({ id: t.uuidV4(), home: t.udt(Address, { nullable: true }) }))
 */
export function defineUserType<Fields extends Record<string, ColumnBuilder<unknown>>>(
  name: string,
  fields: (t: UserTypeBuilder) => Fields,
): UserTypeModel<{ [Property in keyof Fields]: Fields[Property]['value'] }> & { readonly name: string } {
  const { columns, mistakes } = declaredColumns(fields, typeBuilders)
  const definition: UserTypeDefinition = {
    ...RECORDED_BY,
    name,
    fields: columns,
    origin: originOf(defineUserType),
    ...(mistakes.length > 0 && { mistakes }),
  }
  return Object.defineProperty({ name }, userTypeKey, { value: () => definition }) as UserTypeModel<never> & {
    readonly name: string
  }
}
