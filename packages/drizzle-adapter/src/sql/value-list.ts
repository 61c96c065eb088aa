import { IsothermError } from '@isotherm/core'
import type { WireType } from '@isotherm/core/adapter'
import { Column, is, Param, Placeholder, SQL, StringChunk, type SQLChunk } from 'drizzle-orm'
import type { ArrayItems } from './rows-of-arrays.js'

// `inArray(column, values)` is a list of parameters in Drizzle, of which a statement may have only so many. One parameter that
// is an array has room for all, and the text of the statement is the same however many there are.

export type Membership = 'in' | 'not in'

/** How a dialect sends lists. */
export interface ListDialect {
  /** What an encoder makes of values; undefined where it tells no type. */
  encodingOf(encoder: unknown): ArrayItems | undefined
  /** Whether a value can be looked for in an array of these. */
  takesArrayOf(type: WireType): boolean
}

/** An array in a list's place: its items as they are sent, or a placeholder for all of them. */
export interface ListParameter {
  readonly value: unknown
  readonly type: WireType | undefined
}

const IN = /^\s*(not\s+)?in\s*$/i

/** What an operator says of the list behind it; undefined for another. */
export function membershipOf(chunk: SQLChunk | undefined): Membership | undefined {
  const found = is(chunk, StringChunk) ? IN.exec(chunk.value.join('')) : null
  return found ? (found[1] === undefined ? 'in' : 'not in') : undefined
}

/** The values of one column as an array; undefined where they cannot be one: an expression cannot be an item. */
export function listOfValues(list: readonly unknown[], dialect: ListDialect): ListParameter | undefined {
  const encoder = is(list[0], Param) ? list[0].encoder : undefined
  const encoding = encoder && dialect.encodingOf(encoder)
  if (!encoding || !dialect.takesArrayOf(encoding.type)) return undefined
  const items: unknown[] = []
  for (const param of list) {
    if (!is(param, Param) || param.encoder !== encoder || is(param.value, Placeholder)) return undefined
    const item = param.value === null ? null : encoding.encode(param.value)
    if (is(item, SQL)) return undefined
    items.push(item)
  }
  return { value: items, type: arrayOf(encoding.type) }
}

/**
 * A placeholder for a whole list; undefined for what is none.
 *
 * @param before what is looked for in the list
 * @throws {IsothermError} `UNSUPPORTED` for a column whose values cannot be looked for in an array.
 */
export function listToCome(
  list: SQLChunk | undefined,
  before: SQLChunk | undefined,
  dialect: ListDialect,
): ListParameter | undefined {
  const placeholder = is(list, Param) ? list.value : list
  if (!is(placeholder, Placeholder)) return undefined
  const encoder = is(list, Param) ? list.encoder : is(before, Column) ? before : undefined
  const encoding = encoder && dialect.encodingOf(encoder)
  if (!encoding) return { value: placeholder, type: undefined }
  if (!dialect.takesArrayOf(encoding.type)) throw noArray(placeholder, encoder, encoding.type)
  const mapToDriverValue = (given: unknown): unknown => itemsOf(given, placeholder, encoding)
  return { value: new Param(placeholder, { mapToDriverValue }), type: arrayOf(encoding.type) }
}

function arrayOf(of: WireType): WireType {
  return { kind: 'array', of } as WireType
}

/** What makes an expression of an item gives that, for whoever refuses it. */
function itemsOf(given: unknown, { name }: Placeholder, encoding: ArrayItems): unknown {
  if (!Array.isArray(given)) {
    throw new IsothermError(
      'INVALID_VALUE',
      `The placeholder ${JSON.stringify(name)} stands for a list of values, and was given one that is none.`,
      { fix: `Pass an array: execute({ ${name}: […] }).` },
    )
  }
  const items: unknown[] = given.map((each: unknown) => (each === null ? null : encoding.encode(each)))
  return items.find((item) => is(item, SQL)) ?? items
}

function noArray({ name }: Placeholder, encoder: unknown, { kind }: WireType): IsothermError {
  const what = is(encoder, Column) ? `${encoder.name}, of type ${kind},` : `A value of type ${kind}`
  return new IsothermError(
    'UNSUPPORTED',
    `${what} cannot be looked for in an array, which the placeholder ${JSON.stringify(name)} stands for.`,
    { fix: `Give the list a placeholder for each value: [sql.placeholder('${name}1'), …].` },
  )
}
