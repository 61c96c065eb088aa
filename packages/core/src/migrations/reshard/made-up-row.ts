import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Field, TableLayout } from '../../dialects/layout.js'
import type { ColumnType } from '../../model/column-type.js'

/** Values that mean nothing, for rows to be tried on. */
export function madeUpValue({ column, accept }: Field): unknown {
  if (column.nullable && randomInt(5) === 0) return null
  const value = ofType(column.type)
  try {
    return accept(value)
  } catch {
    // An integer that its rows show as a number.
    return Number(value)
  }
}

/** A row of a table but for what is made for it, and what it has from its parent. */
export function madeUpRow({ fields }: TableLayout): Record<string, unknown> {
  return Object.fromEntries(
    fields
      .filter(({ column, fill }) => fill.by === 'caller' && !column.inherited)
      .map((field) => [field.column.property, madeUpValue(field)]),
  )
}

function ofType(type: ColumnType): unknown {
  switch (type.kind) {
    case 'bool':
      return randomInt(2) === 1
    case 'int64':
      return BigInt(randomInt(2 ** 47))
    case 'float32':
    case 'float64':
      return randomInt(1_000_000) / 8
    case 'numeric':
      return `${randomInt(1_000_000)}.5`
    case 'string':
      return randomUUID().slice(0, type.length === 'max' ? 36 : type.length)
    case 'bytes':
      return randomBytes(type.length === 'max' ? 12 : Math.min(type.length, 12))
    case 'date':
      return `20${10 + randomInt(20)}-0${1 + randomInt(9)}-1${randomInt(10)}`
    case 'timestamp':
      return new Date(Date.now() - randomInt(86_400_000))
    case 'json':
      return { number: randomInt(1000), text: randomUUID() }
    case 'uuid':
      return randomUUID()
    case 'array':
      return [ofType(type.of)]
  }
}
