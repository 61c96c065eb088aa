import {
  anything,
  dependingOn,
  distinct,
  either,
  isPlainObject,
  kind,
  leaveOut,
  listOf,
  number,
  oneOf,
  options,
  recordOf,
  required,
  text,
  type Kind,
} from '../options.js'
import { TYPE_KINDS, type TypeKind } from './column-type.js'
import { userTypeOf } from './user-type.js'

// The kinds of the options of declarations; each list of options is beside its interface. Ranges, and whether a column
// exists, are checked for the whole schema, since it may also come from a file or a database.

export const property = text("'customerId'")
/** In an order that matters; that none is there twice is checked of the schema. */
export const orderedProperties = listOf(property, "a list of properties, such as ['customerId']")
export const properties = distinct(orderedProperties)
export const databaseName = text("'order_date'")
export const order = oneOf('asc', 'desc')
export const onDelete = oneOf('cascade', 'no action')
export const uuidStorage = oneOf('text', 'int64-pair', 'bytes', 'native')
export const length = either("a number, or 'max'", number, oneOf('max'))
export const shownAs = oneOf('bigint', 'number')
export const model = kind(
  'a function that returns a model: () => Customer',
  (value) => typeof value === 'function',
)
// Which names there are is known when DDL is compiled: each engine brings its dialects.
const sqlText = kind(
  "SQL that is not empty, such as 'a > 0'",
  (value) => typeof value === 'string' && value.trim() !== '',
)
const SQL = 'SQL that is not empty: a text, or one for each dialect, by its name'
const noSql = kind(SQL, () => false)
const sqlOfDialects = recordOf(sqlText)
export const sql = either(
  SQL,
  sqlText,
  dependingOn(SQL, (value) =>
    isPlainObject(value) && Object.keys(value).length === 0 ? noSql : sqlOfDialects,
  ),
)
export const bigintRange = kind(
  'two bigints: [1n, 1000n]',
  (value) => Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'bigint'),
)

/** As deep as types go within each other: no database takes more. */
const MAX_DEPTH = 16

const frozen = oneOf(true)

function typeKinds(of: Kind): Readonly<Partial<Record<TypeKind, Readonly<Record<string, Kind>>>>> {
  return {
    int64: { as: shownAs },
    string: { length: required(length) },
    bytes: { length: required(length) },
    uuid: { storage: uuidStorage },
    array: { of: required(of), frozen },
    set: { of: required(of), frozen },
    map: { key: required(of), of: required(of), frozen },
    tuple: { of: required(listOf(of, "a list of types, such as [{ kind: 'int32' }]")) },
    udt: { name: required(databaseName), frozen },
    vector: { of: required(oneOf('float32')), dimensions: required(number) },
  }
}

const A_TYPE = "a type, such as { kind: 'int64' }"
const knownKind = oneOf(...TYPE_KINDS)

/** An unknown kind leaves open what else there may be. */
const ofUnknownKind = options({
  kind: required(knownKind),
  as: anything,
  length: anything,
  storage: anything,
  of: anything,
  key: anything,
  frozen: anything,
  name: anything,
  dimensions: anything,
})

function typeKind(depth: number, userTypes: boolean): Kind {
  const expected = userTypes ? `${A_TYPE}, or the model of a user type` : A_TYPE
  const none = kind(expected, () => false)
  const tooDeep = leaveOut(`Store it as JSON: types can be nested ${MAX_DEPTH} levels deep.`)
  const known = new Map<unknown, Kind>()
  return dependingOn(expected, (value) => {
    if (userTypes && userTypeOf(value) !== undefined) return anything
    if (typeof value !== 'object' || value === null) return none
    if (depth > MAX_DEPTH) return tooDeep
    const { kind: kindName } = value as { readonly kind?: unknown }
    if (!(TYPE_KINDS as readonly unknown[]).includes(kindName)) return ofUnknownKind
    let own = known.get(kindName)
    if (!own) {
      own = options(
        { kind: knownKind, ...typeKinds(typeKind(depth + 1, userTypes))[kindName as TypeKind] },
        expected,
      )
      known.set(kindName, own)
    }
    return own
  })
}

/** The type of a column, as a schema has it. */
export const COLUMN_TYPE: Kind = typeKind(1, false)
/** The element of a collection or a tuple. */
export const ELEMENT: Kind = typeKind(1, true)
