import { preciseDate, type ResultColumn, type ResultSet, type ResultType } from '@isotherm/core/adapter'

/** A result as plain JSON, which every cache can keep: cells hold 64-bit integers, exact times and bytes, which JSON lacks. */
export interface CachedResult {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly (readonly unknown[])[]
}

export function toCached({ columns, rows }: ResultSet): CachedResult {
  return { columns, rows: rows.map((cells) => cells.map((cell, at) => plain(cell, columns[at]!.type))) }
}

/** The result that was kept; undefined for what is none, of another version of the program perhaps. */
export function fromCached(kept: unknown): ResultSet | undefined {
  if (!Array.isArray(kept)) return undefined
  const [result] = kept as readonly (Partial<CachedResult> | undefined)[]
  const { columns, rows } = result ?? {}
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined
  const types = columns as readonly ResultColumn[]
  return {
    columns: types,
    rows: (rows as CachedResult['rows']).map((cells) =>
      cells.map((cell, at) => cellOf(cell, types[at]!.type)),
    ),
  }
}

function plain(cell: unknown, type: ResultType): unknown {
  if (cell === null) return null
  switch (type.kind) {
    case 'int64':
      return (cell as bigint).toString()
    case 'float32':
    case 'float64':
      return Number.isFinite(cell) ? cell : (cell as number).toString()
    case 'timestamp':
      return (cell as Date).toISOString()
    case 'bytes':
      return (cell as Buffer).toString('base64')
    case 'array':
      return (cell as unknown[]).map((item) => plain(item, type.of))
    case 'struct':
      return (cell as unknown[]).map((field, at) => plain(field, type.fields[at]!.type))
    default:
      return cell
  }
}

function cellOf(kept: unknown, type: ResultType): unknown {
  if (kept === null) return null
  switch (type.kind) {
    case 'int64':
      return BigInt(kept as string)
    case 'float32':
    case 'float64':
      return Number(kept)
    case 'timestamp':
      return preciseDate(kept as string)
    case 'bytes':
      return Buffer.from(kept as string, 'base64')
    case 'array':
      return (kept as unknown[]).map((item) => cellOf(item, type.of))
    case 'struct':
      return (kept as unknown[]).map((field, at) => cellOf(field, type.fields[at]!.type))
    default:
      return kept
  }
}
