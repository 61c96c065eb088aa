import { IsothermError, type LexicalSyntax, type WireType } from '@isotherm/core/engine'
import type {
  CatalogReader,
  ChangeStream,
  ForeignKey,
  Interleaving,
  Sequence,
  View,
} from '@isotherm/core/tools'

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

interface ViewToRead<Columns extends Readonly<Record<string, CellKind>>> {
  /** A view of the information schema, in lower case. */
  readonly view: string
  readonly columns: Columns
  /** Columns that not every engine has: they are read as NULL where they are missing. */
  readonly optional?: readonly (keyof Columns & string)[]
  /** The column whose named schema tells the system's own rows, which are left out. */
  readonly schemaColumn?: string
}

type ReadView = <const Columns extends Readonly<Record<string, CellKind>>>(
  view: ViewToRead<Columns>,
) => Promise<RowOf<Columns>[]>

/** The dialect's syntax that a catalogue query needs. */
export interface CatalogSyntax {
  quote(name: string): string
  /** The type of text that any value can be cast to. */
  readonly text: string
}

const TEXT: WireType = { kind: 'string', length: 'max' }
const SYSTEM = "('information_schema', 'pg_catalog', 'spanner_sys')"

/** A requested view, the columns of it that this engine has, and who waits for its rows. */
interface Request {
  readonly view: { readonly view: string; readonly schemaColumn?: string }
  readonly present: readonly string[]
  resolve(rows: readonly (readonly unknown[])[]): void
  reject(error: unknown): void
}

/**
 * A reader of views that knows which columns this engine's catalogue has: the catalogue lists its own. Views that are requested
 * at once are read by one statement, since a database takes longer to begin a statement on its catalogue than to read the rows.
 */
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
  let pending: Request[] = []

  const readPending = async (): Promise<void> => {
    const requests = pending
    pending = []
    try {
      const width = requests.reduce((max, { present }) => Math.max(max, present.length), 0)
      const cells = await reader.query(
        {
          text: requests.map((each, at) => selectFrom(each, at, width, syntax)).join(' UNION ALL '),
          parameters: [],
        },
        Array.from({ length: width + 1 }, () => TEXT),
      )
      const rowsOf = groupedBy(cells, ([at]) => String(at))
      for (const [at, { resolve }] of requests.entries()) resolve(rowsOf.get(String(at)) ?? [])
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  return async <const Columns extends Readonly<Record<string, CellKind>>>(view: ViewToRead<Columns>) => {
    const present = Object.keys(view.columns).filter(
      (name) => !view.optional?.includes(name) || known.has(`${view.view}.${name}`),
    )
    const rows = await new Promise<readonly (readonly unknown[])[]>((resolve, reject) => {
      if (pending.length === 0) queueMicrotask(() => void readPending())
      pending.push({ view, present, resolve, reject })
    })
    const absent = Object.fromEntries(
      Object.entries(view.columns).map(([name, kind]) => [name, cellOf(kind, null)]),
    )
    return rows.map(([, ...row]) => {
      const read = present.map((name, at) => [name, cellOf(view.columns[name]!, row[at])])
      return { ...absent, ...Object.fromEntries(read) } as RowOf<Columns>
    })
  }
}

/** The rows of one view, as texts, after the number of its request. */
function selectFrom(
  { view: { view, schemaColumn }, present }: Request,
  number: number,
  width: number,
  { quote, text }: CatalogSyntax,
): string {
  const cells = Array.from({ length: width }, (_, at) => {
    const name = present[at]
    return `CAST(${name === undefined ? 'NULL' : quote(name)} AS ${text})`
  })
  const where = schemaColumn === undefined ? '' : ` WHERE LOWER(${quote(schemaColumn)}) NOT IN ${SYSTEM}`
  return `SELECT '${number}', ${cells.join(', ')} FROM information_schema.${view}${where}`
}

function cellOf(kind: CellKind, cell: unknown): CellTypes[CellKind] {
  if (kind === 'flag') return cell === 'true' || cell === 'YES'
  if (cell === null || cell === undefined) return null
  if (typeof cell !== 'string')
    throw new IsothermError('DATABASE', `The catalogue returned ${typeof cell} instead of text.`)
  return kind === 'integer' ? BigInt(cell) : cell
}

// A database as its catalogue describes it: names and SQL texts, nothing recognised yet. Names include their named schema;
// names of columns are used where a schema has properties.

export interface CatalogIdentity {
  readonly startCounter?: string
  readonly skipRange?: readonly [string, string]
}

export interface CatalogColumn {
  readonly name: string
  /** In the dialect's syntax: `STRING(36)`. */
  readonly type: string
  readonly nullable: boolean
  readonly default?: string
  readonly generated?: { readonly expression: string; readonly stored: boolean }
  readonly identity?: CatalogIdentity
  /** Whether an update of the row changes it: `ON UPDATE`. */
  readonly updates: boolean
  readonly allowsCommitTimestamp: boolean
  readonly hidden: boolean
  /** The text after its name in the database's DDL. */
  readonly definition?: string
}

export interface CatalogKeyPart {
  readonly column: string
  readonly order: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last'
}

export interface CatalogIndex {
  readonly name: string
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly parts: readonly CatalogKeyPart[]
  readonly storing: readonly string[]
  readonly notNull: readonly string[]
  readonly interleaveIn?: string
  /** The statement that makes it, in the database's words. */
  readonly statement?: string
}

export interface CatalogCheck {
  readonly name: string
  readonly unnamed?: true
  readonly clause: string
}

export interface CatalogTable {
  readonly name: string
  readonly columns: readonly CatalogColumn[]
  readonly key: readonly CatalogKeyPart[]
  readonly parent?: Interleaving
  readonly indexes: readonly CatalogIndex[]
  readonly checks: readonly CatalogCheck[]
  readonly foreignKeys: readonly ForeignKey[]
  /** When rows are deleted, in the dialect's words. */
  readonly rowDeletion?: string
}

export interface CatalogView {
  readonly name: string
  readonly query: string
  readonly security: View['security']
  /** Its position in the database's DDL. */
  readonly position: number
}

export interface CatalogChangeStream extends ChangeStream {
  /** The statement that makes it, in the database's words. */
  readonly statement?: string
}

export interface Catalog {
  readonly tables: readonly CatalogTable[]
  readonly namespaces: readonly string[]
  readonly sequences: readonly Sequence[]
  readonly views: readonly CatalogView[]
  readonly changeStreams: readonly CatalogChangeStream[]
  /** Statements that make or set what no schema models. */
  readonly opaque: readonly string[]
}

// Facts that an engine's catalogue may leave out, but its own DDL contains.

/** The name of a table as a `Schema` has it, given its parts. */
export type NameOf = (path: readonly string[]) => string

export interface ColumnClauses {
  readonly identity?: CatalogIdentity
  readonly hidden: boolean
  readonly onUpdate: boolean
  /** The text after the name, as it is written. */
  readonly definition: string
  /** Its options, as they are written, without those that the catalogue's reader knows. */
  readonly options: readonly string[]
}

/** The engine names those without a name, and tells the name in its catalogue only. */
export type ForeignKeyClause = Omit<ForeignKey, 'name'> & { readonly name?: string }

interface TableClauses {
  readonly columns: ReadonlyMap<string, ColumnClauses>
  readonly foreignKeys: readonly ForeignKeyClause[]
  /** The names of checks; the database makes up missing ones. */
  readonly checks: ReadonlySet<string>
  readonly parent?: string
}

export interface IndexClauses {
  /** The position of NULL, by column, for the parts that declare one. */
  readonly nulls: ReadonlyMap<string, NonNullable<CatalogKeyPart['nulls']>>
  readonly notNull: readonly string[]
  readonly interleaveIn?: string
  /** The whole statement. */
  readonly statement: string
}

export interface ChangeStreamClauses {
  readonly watch: ChangeStream['watch']
  readonly options: Readonly<Record<string, string>>
  /** The whole statement. */
  readonly statement: string
}

export interface ViewClauses {
  readonly security?: View['security']
  readonly position: number
}

/** By name, the named schema included. */
export interface DdlFacts {
  readonly tables: ReadonlyMap<string, TableClauses>
  readonly indexes: ReadonlyMap<string, IndexClauses>
  readonly views: ReadonlyMap<string, ViewClauses>
  readonly changeStreams: ReadonlyMap<string, ChangeStreamClauses>
  /** Statements that make or set what no schema models, in their order. */
  readonly opaque: readonly string[]
}

/** The context that the readers of the catalogue's views share. */
export interface CatalogContext {
  readonly read: ReadView
  readonly facts: DdlFacts
  readonly nameOf: NameOf
  readonly lexicalSyntax: LexicalSyntax
  quote(name: string): string
  /** Reports where the catalogue and the DDL disagree, and how that was resolved. */
  note(text: string): void
}

interface TableRow {
  readonly table_schema: string | null
  readonly table_name: string | null
}

export function tableOf({ nameOf }: CatalogContext, row: TableRow): string {
  return nameOf([row.table_schema ?? '', row.table_name ?? ''])
}

interface ConstraintRow {
  readonly constraint_schema: string | null
  readonly constraint_name: string | null
}

/** A constraint's name is unique in its named schema. */
export function constraintKey(row: ConstraintRow): string {
  return `${row.constraint_schema} ${row.constraint_name}`
}

/** The catalogue leaves the named schema of a parent out: it is mostly its child's. */
export function parentName(
  { nameOf }: CatalogContext,
  bare: string,
  schema: string | null,
  tables: ReadonlySet<string>,
): string {
  const own = nameOf([schema ?? '', bare])
  return tables.has(own) ? own : bare
}

export function byName<T extends { readonly name: string }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function numbered(text: string): { readonly name: string; readonly number: number } {
  const [, name = text, number] = /^(.*?)(\d*)$/s.exec(text) ?? []
  return { name, number: Number(number) }
}

/** The order of names that the database made up: they end in a number, and `…_2` is before `…_10`. */
export function inNumberOrder(a: string, b: string): number {
  const [one, other] = [numbered(a), numbered(b)]
  if (one.name !== other.name) return one.name < other.name ? -1 : 1
  return one.number - other.number
}

export function byPosition<T extends { readonly ordinal_position: bigint | null }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => Number((a.ordinal_position ?? 0n) - (b.ordinal_position ?? 0n)))
}

export function groupedBy<T>(list: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
