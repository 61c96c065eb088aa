import { int, short, string, value } from './frames.js'

// Results, as tests write them: columns with their types, and cells that are bytes already or plain.

const TYPES = { bigint: 0x02, boolean: 0x04, int: 0x09, uuid: 0x0c, varchar: 0x0d, inet: 0x10 } as const

export type ColumnType = keyof typeof TYPES | 'set<varchar>' | 'map<varchar, varchar>'
export type Cell =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly string[]
  | Readonly<Record<string, string>>

export interface Rows {
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly rows: readonly (readonly Cell[])[]
  /** There is more, and this is where. */
  readonly pageState?: string
}

function typeOption(type: ColumnType): Buffer {
  if (type === 'set<varchar>') return Buffer.concat([short(0x22), short(TYPES.varchar)])
  if (type === 'map<varchar, varchar>')
    return Buffer.concat([short(0x21), short(TYPES.varchar), short(TYPES.varchar)])
  return short(TYPES[type])
}

function bytesOf(type: ColumnType, cell: Exclude<Cell, null>): Buffer {
  switch (type) {
    case 'bigint': {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64BE(BigInt(cell as number))
      return bytes
    }
    case 'boolean':
      return Buffer.of(cell === true ? 1 : 0)
    case 'int':
      return int(cell as number)
    case 'uuid':
      return Buffer.from((cell as string).split('-').join(''), 'hex')
    case 'varchar':
      return Buffer.from(cell as string, 'utf8')
    case 'inet':
      return Buffer.from((cell as string).split('.').map(Number))
    default: {
      const items = Array.isArray(cell) ? (cell as string[]) : Object.entries(cell).flat()
      const count = Array.isArray(cell) ? items.length : items.length / 2
      return Buffer.concat([int(count), ...items.map((item) => value(Buffer.from(item, 'utf8')))])
    }
  }
}

/** The body of a RESULT of kind Rows. */
export function rowsBody({ columns, rows, pageState }: Rows, table: readonly [string, string]): Buffer {
  const types = Object.entries(columns)
  return Buffer.concat([
    int(2),
    int(pageState === undefined ? 1 : 3),
    int(types.length),
    ...(pageState === undefined ? [] : [value(Buffer.from(pageState, 'utf8'))]),
    ...table.map(string),
    ...types.map(([name, type]) => Buffer.concat([string(name), typeOption(type)])),
    int(rows.length),
    ...rows.flatMap((row) =>
      row.map((cell, at) => value(cell === null ? null : bytesOf(types[at]![1], cell))),
    ),
  ])
}

/** The body of a RESULT of kind Prepared: what its parameters are called, and that all of them are bytes. */
export function preparedBody(id: Buffer, parameters: number, table: readonly [string, string]): Buffer {
  return Buffer.concat([
    int(4),
    short(id.length),
    id,
    int(1),
    int(parameters),
    int(0),
    ...table.map(string),
    ...Array.from({ length: parameters }, (_, at) => Buffer.concat([string(`p${at}`), short(0x03)])),
    // Of the result nothing is told before it comes.
    int(4),
    int(0),
  ])
}
