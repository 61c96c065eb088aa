import { IsothermError } from '../../errors.js'
import type { Statement } from '../statement.js'
import type { WireType } from '../wire.js'

/** What introspection reads: the catalogue by statements, and the database's own DDL. */
export interface CatalogReader {
  query(statement: Statement, types: readonly WireType[]): Promise<readonly (readonly unknown[])[]>
  ddl(): Promise<readonly string[]>
  /** Which of several places is read, where an engine has them. */
  readonly keyspace?: string
}

/** `flag` is a boolean, which some dialects write as YES and NO. */
export type CellKind = 'text' | 'integer' | 'flag'

interface CellTypes {
  readonly text: string | null
  readonly integer: bigint | null
  readonly flag: boolean
}

export type RowOf<Columns extends Readonly<Record<string, CellKind>>> = {
  readonly [Name in keyof Columns]: CellTypes[Columns[Name]]
}

export interface ViewToRead<Columns extends Readonly<Record<string, CellKind>>> {
  /** A view of the information schema, in lower case. */
  readonly view: string
  readonly columns: Columns
  /** Columns that not every engine has: they are read as NULL where they are missing. */
  readonly optional?: readonly (keyof Columns & string)[]
  /** The column whose named schema tells the system's own rows, which are left out. */
  readonly schemaColumn?: string
}

export type ReadView = <const Columns extends Readonly<Record<string, CellKind>>>(
  view: ViewToRead<Columns>,
) => Promise<RowOf<Columns>[]>

/** How a dialect spells what a catalogue query needs. */
export interface CatalogSyntax {
  quote(name: string): string
  /** What a flag is read as. */
  readonly flag: WireType
}

const TEXT: WireType = { kind: 'string', length: 'max' }
const SYSTEM = "('information_schema', 'pg_catalog', 'spanner_sys')"

/** A reader of views that knows which columns this engine's catalogue has: the catalogue lists its own. */
export async function catalogViews(reader: CatalogReader, syntax: CatalogSyntax): Promise<ReadView> {
  const own = await reader.query(
    {
      text:
        'SELECT table_name, column_name FROM information_schema.columns' +
        " WHERE LOWER(table_schema) = 'information_schema'",
      parameters: [],
    },
    [TEXT, TEXT],
  )
  const known = new Set(own.map((names) => names.map(String).join('.').toLowerCase()))

  return async <const Columns extends Readonly<Record<string, CellKind>>>(view: ViewToRead<Columns>) => {
    const present = Object.entries(view.columns).filter(
      ([name]) => !view.optional?.includes(name) || known.has(`${view.view}.${name}`),
    )
    const cells = await reader.query(
      selectFrom(view, present, syntax),
      present.map(([, kind]) => wireType(kind, syntax)),
    )
    const absent = Object.fromEntries(
      Object.entries(view.columns).map(([name, kind]) => [name, cellOf(kind, null)]),
    )
    return cells.map((row) => {
      const read = present.map(([name, kind], at) => [name, cellOf(kind, row[at])])
      return { ...absent, ...Object.fromEntries(read) } as RowOf<Columns>
    })
  }
}

function selectFrom(
  { view, schemaColumn }: { readonly view: string; readonly schemaColumn?: string },
  columns: readonly (readonly [string, CellKind])[],
  { quote }: CatalogSyntax,
): Statement {
  const list = columns.map(([name]) => quote(name)).join(', ')
  const where = schemaColumn === undefined ? '' : ` WHERE LOWER(${quote(schemaColumn)}) NOT IN ${SYSTEM}`
  return { text: `SELECT ${list} FROM information_schema.${view}${where}`, parameters: [] }
}

function wireType(kind: CellKind, { flag }: CatalogSyntax): WireType {
  if (kind === 'flag') return flag
  return kind === 'integer' ? { kind: 'int64' } : TEXT
}

function cellOf(kind: CellKind, cell: unknown): CellTypes[CellKind] {
  if (kind === 'flag') return cell === true || cell === 'YES'
  if (cell === null || cell === undefined) return null
  if (kind === 'integer' ? typeof cell === 'bigint' : typeof cell === 'string') return cell as string | bigint
  throw new IsothermError('DATABASE', `The catalogue gave ${typeof cell} where ${kind} was asked for.`)
}
