import type { TableSchema } from '@isotherm/core'
import { CommandError } from './command-error.js'

// A query from flags: JSON has no 64-bit integers, timestamps and bytes, so that they are text there.

/** @throws {CommandError} for text that is no JSON, and for values that their columns do not take. */
export function parseWhere(text: string, table: TableSchema): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new CommandError('USAGE', `--where is not JSON: ${(cause as Error).message}.`, {
      fix: `Quote it for the shell, as in --where '{"userId":"7"}'.`,
      cause,
    })
  }
  return revived(parsed, table) as object
}

function revived(filter: unknown, table: TableSchema): unknown {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return filter
  return Object.fromEntries(
    Object.entries(filter).map(([name, given]: [string, unknown]) => {
      if (name === 'NOT') return [name, revived(given, table)]
      if (Array.isArray(given) && (name === 'AND' || name === 'OR'))
        return [name, given.map((each) => revived(each, table))]
      const column = table.columns.find(({ property }) => property === name)
      return [name, column ? operands(given, column) : given]
    }),
  )
}

type Column = TableSchema['columns'][number]

function operands(given: unknown, column: Column): unknown {
  if (Array.isArray(given)) return given.map((each) => operands(each, column))
  if (typeof given !== 'object' || given === null) return value(given, column)
  return Object.fromEntries(
    Object.entries(given).map(([operator, operand]: [string, unknown]) => [
      operator,
      operands(operand, column),
    ]),
  )
}

function value(given: unknown, { property, type }: Column): unknown {
  switch (type.kind) {
    case 'int64':
      if (typeof given === 'number' && Number.isSafeInteger(given)) return integer(String(given), type)
      return typeof given === 'string' && /^-?\d+$/.test(given) ? integer(given, type) : given
    case 'bytes':
      return typeof given === 'string' ? Buffer.from(given, 'base64') : given
    case 'timestamp': {
      if (typeof given !== 'string') return given
      const date = new Date(given)
      if (!Number.isNaN(date.getTime())) return date
      throw new CommandError(
        'USAGE',
        `--where has ${JSON.stringify(given)} for ${property}, which is a timestamp.`,
        {
          fix: 'Write it as in 2026-11-21T09:30:00Z.',
        },
      )
    }
    default:
      return given
  }
}

function integer(text: string, type: { readonly as?: string }): bigint | number {
  return type.as === 'number' ? Number(text) : BigInt(text)
}

export interface OrderFlag {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

/**
 * `userId` and `lastAccess:desc`, in several flags or parted by commas.
 *
 * @throws {CommandError} for a direction that is none.
 */
export function parseOrder(flags: readonly string[]): OrderFlag[] {
  return flags
    .flatMap((flag) => flag.split(','))
    .map((term) => {
      const [, property = term, direction = 'asc'] = /^(.*?)(?::(.*))?$/.exec(term) ?? []
      if (direction === 'asc' || direction === 'desc') return { property, direction }
      throw new CommandError('USAGE', `--order-by ${term} has the direction ${direction}.`, {
        fix: `Write ${property}:asc or ${property}:desc.`,
      })
    })
}
