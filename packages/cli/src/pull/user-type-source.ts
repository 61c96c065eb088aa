import type { Schema } from '@isotherm/core'
import type { Declaration } from './declaration.js'
import { Imports, specifier } from './imports.js'
import type { ModelName } from './naming.js'
import { classSource, constantSource } from './table-source.js'
import { fieldType, typeArguments, userTypesGiven, type UserTypeNames } from './type-source.js'

type UserType = NonNullable<Schema['userTypes']>[number]

/** The file of one user type. */
export function userTypeSource(
  { name, fields }: UserType,
  style: 'decorators' | 'tables',
  types: ReadonlyMap<string, ModelName>,
): string {
  const { identifier, path } = types.get(name)!
  const imports = new Imports()
  for (const other of fields.flatMap(({ type }) => userTypesGiven(type))) {
    const model = types.get(other)!
    imports.add(specifier(path, model.path), model.identifier)
  }
  const declarations = fields.map((field) => declarationOf(field, types))
  const model = { identifier, name, options: {} }
  const code =
    style === 'decorators'
      ? classSource({ kind: 'UserType', ...model, indexes: [] }, declarations, imports)
      : constantSource({ kind: 'defineUserType', ...model }, declarations, imports)
  return `${imports.toString()}\n\n${code.join('\n')}\n`
}

/** Its name in the database is its property: there is no other. */
function declarationOf(
  { name, type, nullable }: UserType['fields'][number],
  types: UserTypeNames,
): Declaration {
  const value = fieldType(type, types)
  return {
    property: name,
    builder: type.kind,
    args: [...typeArguments(type, types), ...optionsOf(type, nullable)],
    isKey: false,
    field: nullable ? `${value} | null` : value,
  }
}

/** Inside of a type all is frozen, and says nothing of it. */
function optionsOf(
  type: UserType['fields'][number]['type'],
  nullable: true | undefined,
): readonly { readonly [option: string]: boolean | number }[] {
  const length =
    (type.kind === 'string' || type.kind === 'bytes') && type.length !== 'max' ? type.length : undefined
  const options = { ...(length !== undefined && { length }), ...(nullable && { nullable }) }
  return Object.keys(options).length === 0 ? [] : [options]
}
