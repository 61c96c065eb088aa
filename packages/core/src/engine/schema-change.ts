import { checkArgument, kind, nearName } from '../options.js'
import type { ColumnRowDeletion } from '../ddl/syntax.js'
import type { DefinedColumn, NamedCheck } from '../ddl/clauses.js'
import type { SqlColumn } from '../ddl/opaque.js'
import type { Order } from '../model/key.js'
import type { UserTypeField } from '../model/column-type.js'
import type { ChangeStream, Schema, Sequence, UserType } from '../model/schema.js'
import type { Interleaving, OnDelete } from '../model/table.js'
import type { TableLayout } from '../layout/layout.js'

/**
 * The changes that the database cannot make in place.
 *
 * - `primary-key`: the key, or the assignment of rows to shards.
 * - `interleaving`: another parent, or a parent for a table without one.
 * - `column-type`, `uuid-storage`: another type, or another storage of the same value.
 * - `inherited-key`: a key column that child tables have too.
 * - `generated-column`, `identity`, `commit-timestamp`, `hidden`: how a column's value is made, or whether it is shown.
 * - `not-null`: NOT NULL if rows may lack a value, and none can be given.
 * - `sequence`: an option of a sequence that cannot be removed.
 * - `in-use`: an object that remaining objects depend on.
 * - `name`: a name that is taken, or that differs only in upper and lower case.
 * - `rename`: a rename that is not possible as requested.
 * - `static`: one value for a partition in place of one for each row, or the other way round.
 * - `counter`: counters in a table of other columns, or the other way round.
 * - `user-type`: fields that a user type loses, or that come before others.
 * - `drop`: an object that the dialect cannot drop.
 * - `dropped-column`: the name of a dropped column of another type.
 */
export type RefusalKind =
  | 'primary-key'
  | 'interleaving'
  | 'column-type'
  | 'uuid-storage'
  | 'inherited-key'
  | 'generated-column'
  | 'identity'
  | 'commit-timestamp'
  | 'hidden'
  | 'not-null'
  | 'sequence'
  | 'in-use'
  | 'name'
  | 'rename'
  | 'static'
  | 'counter'
  | 'user-type'
  | 'drop'
  | 'dropped-column'

/** A change that is not made, and the way to it by hand. */
export interface Refusal {
  readonly kind: RefusalKind
  /** The table, or whatever else it is about: a sequence, a view. */
  readonly table: string
  readonly column?: string
  readonly message: string
  readonly fix: string
}

/**
 * Renamed objects, in the database's names: without a rename, a name that vanishes and another that appears are two
 * objects.
 *
 * @example
 * { tables: { Customer: 'Client' }, columns: { Client: { email: 'mail' } } }
 */
export interface Renames {
  /** Old names to new ones. */
  readonly tables?: Readonly<Record<string, string>>
  /** By the new name of the table: old names of columns to new ones. */
  readonly columns?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface RenameCandidate {
  readonly kind: 'table' | 'column'
  /** The table that the column is in. */
  readonly table?: string
  readonly from: string
  readonly to: string
  /** From 0 to 1: how much of the one is in the other. */
  readonly likeness: number
}

/** Why something does not get another name, and what to do. */
export interface RenameObstacle {
  readonly what: string
  readonly fix: string
}

interface Named {
  readonly name: string
}

/** @param names the names that could be meant */
export function unknownName(what: string, wanted: string, names: readonly Named[]): RenameObstacle {
  const known = names.map(({ name }) => name)
  const near = nearName(wanted, known)
  if (near !== undefined) return { what, fix: `Did you mean ${near}?` }
  return { what, fix: known.length === 0 ? 'Leave the rename out.' : `Choose from ${known.join(', ')}.` }
}

/** The names of a column, as far as they alone decide. */
export function columnNameObstacle(
  [old, now]: readonly [old: string, now: string],
  [from, to]: readonly [from: readonly Named[], to: readonly Named[]],
  isSame: (one: string, other: string) => boolean,
): RenameObstacle | undefined {
  const has = (columns: readonly Named[], wanted: string): boolean =>
    columns.some(({ name }) => isSame(name, wanted))
  if (!has(from, old)) return unknownName('there is no such column', old, from)
  if (!has(to, now)) return unknownName('no model has a column of that name', now, to)
  if (has(from, now))
    return {
      what: 'the table has a column of that name already',
      fix: 'Leave the rename out, or use a name that no column has.',
    }
  if (has(to, old))
    return {
      what: 'the model still has a column of the old name',
      fix: 'Leave the rename out, or remove that column from the model.',
    }
  return undefined
}

/** Whether two pieces of plain data are the same: a property that is undefined counts as absent. */
export function sameData(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => sameData(item, other[at]))
    )
  }
  const a = one as Record<string, unknown>
  const b = other as Record<string, unknown>
  for (const key in a) if (!sameData(a[key], b[key])) return false
  for (const key in b) if (b[key] !== undefined && a[key] === undefined) return false
  return true
}

// A change refers to a database: columns in place of properties, SQL texts of one dialect.

export interface PhysicalKeyColumn {
  readonly column: string
  readonly order: Order
}

interface PhysicalIndexPart extends PhysicalKeyColumn {
  /** The position of NULL, if it differs from the dialect's order. */
  readonly nulls?: 'first' | 'last'
}

export interface PhysicalIndex {
  readonly name: string
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly parts: readonly PhysicalIndexPart[]
  readonly storing: readonly string[]
  /** Columns whose NULL keeps a row out of the index. */
  readonly notNull: readonly string[]
  readonly interleaveIn?: string
}

export interface PhysicalForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  readonly onDelete: OnDelete
  readonly enforced: boolean
}

export interface PhysicalView {
  readonly name: string
  readonly query: string
  readonly security: 'invoker' | 'definer'
}

/** Data that nothing brings back is lost with it. */
interface DataLoss {
  readonly dataLoss: true
}

/** Why an object is dropped that is created again: what it is an obstacle to. */
interface Again {
  readonly because?: string
}

type TableChange =
  | {
      readonly kind: 'create-table'
      readonly table: string
      /** The foreign keys that come with it; others wait for their tables. */
      readonly foreignKeys: readonly string[]
    }
  | ({ readonly kind: 'drop-table'; readonly table: string } & DataLoss)
  | {
      readonly kind: 'rename-table'
      readonly table: string
      readonly to: string
      /** The parent that it had under its former name. */
      readonly parent?: Interleaving
    }
  | {
      readonly kind: 'set-on-delete'
      readonly table: string
      readonly parent: string
      readonly onDelete: Interleaving['onDelete']
    }
  | { readonly kind: 'set-interleaving'; readonly table: string; readonly parent: Interleaving }
  | ({
      readonly kind: 'add-row-deletion'
      readonly table: string
      readonly policy: ColumnRowDeletion
    } & DataLoss)
  | ({
      readonly kind: 'replace-row-deletion'
      readonly table: string
      readonly policy: ColumnRowDeletion
    } & Partial<DataLoss>)
  | ({ readonly kind: 'drop-row-deletion'; readonly table: string } & Again)
  | {
      readonly kind: 'set-table-options'
      readonly table: string
      /** In seconds; 0: rows stay. */
      readonly ttlSeconds: number
      readonly before: number
    }

type ColumnChange =
  | {
      readonly kind: 'add-column'
      readonly table: string
      readonly column: DefinedColumn
      /** One value for all rows of a partition. */
      readonly static?: true
      /** The model does not allow NULL, and the database has no other value for existing rows. */
      readonly unfilled?: true
    }
  | { readonly kind: 'add-opaque-column'; readonly table: string; readonly column: SqlColumn }
  /** Values of a column that is renamed, to where they are looked for from now on. */
  | { readonly kind: 'copy-column'; readonly table: string; readonly from: string; readonly to: string }
  | {
      readonly kind: 'alter-column'
      readonly table: string
      readonly from: DefinedColumn
      readonly to: DefinedColumn
    }
  | ({
      readonly kind: 'drop-column'
      readonly table: string
      readonly column: string
      /** The column that has its values by then: it was renamed. */
      readonly renamedTo?: string
    } & Partial<DataLoss>)
  /** A row without a value there counts as expired from now on: reads leave it out. No statement goes with it. */
  | ({ readonly kind: 'require-column'; readonly table: string; readonly column: string } & DataLoss)
  | {
      readonly kind: 'rename-key-column'
      readonly table: string
      readonly from: string
      readonly to: string
    }

type ConstraintChange =
  | { readonly kind: 'add-check'; readonly table: string; readonly check: NamedCheck }
  | ({ readonly kind: 'drop-check'; readonly table: string; readonly name: string } & Again)
  | { readonly kind: 'add-foreign-key'; readonly table: string; readonly foreignKey: PhysicalForeignKey }
  | ({ readonly kind: 'drop-foreign-key'; readonly table: string; readonly name: string } & Again)

type IndexChange =
  | { readonly kind: 'create-index'; readonly table: string; readonly index: PhysicalIndex }
  | ({ readonly kind: 'drop-index'; readonly table: string; readonly name: string } & Again)
  | {
      readonly kind: 'add-stored-column' | 'drop-stored-column'
      readonly table: string
      readonly index: string
      readonly column: string
    }

type TypeChange =
  | { readonly kind: 'create-type'; readonly type: UserType }
  | { readonly kind: 'add-type-field'; readonly type: string; readonly field: UserTypeField }
  | { readonly kind: 'drop-type'; readonly name: string }

type ObjectChange =
  | { readonly kind: 'create-namespace' | 'drop-namespace'; readonly name: string }
  | { readonly kind: 'create-sequence'; readonly sequence: Sequence }
  | { readonly kind: 'alter-sequence'; readonly from: Sequence; readonly to: Sequence }
  | ({ readonly kind: 'drop-sequence'; readonly name: string } & DataLoss)
  | { readonly kind: 'create-view' | 'replace-view'; readonly view: PhysicalView }
  | ({ readonly kind: 'drop-view'; readonly name: string } & Again)
  | { readonly kind: 'create-change-stream'; readonly stream: ChangeStream }
  | ({
      readonly kind: 'alter-change-stream'
      readonly stream: ChangeStream
      readonly watch: boolean
      /** The options that change; null goes back to the default. */
      readonly options: Readonly<Record<string, string | null>>
    } & Partial<DataLoss>)
  | ({ readonly kind: 'drop-change-stream'; readonly name: string } & DataLoss)
  /** Objects that Isotherm does not model, by the statement that creates or sets them. */
  | { readonly kind: 'create-opaque'; readonly name: string; readonly statement: string }
  | ({ readonly kind: 'drop-opaque'; readonly name: string; readonly statement: string } & Partial<DataLoss> &
      Again)

/** One step from a schema to another: plain data. */
export type SchemaChange =
  | TableChange
  | ColumnChange
  | ConstraintChange
  | IndexChange
  | TypeChange
  | ObjectChange

/** The argument `change`. */
export const CHANGE = kind(
  'a change, which diffSchemas finds',
  (value) => typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string',
)

/** Whether a change loses data: ask the user to agree before you make it. */
export function losesData(change: SchemaChange): boolean {
  checkArgument('losesData', 'change', CHANGE, change)
  return 'dataLoss' in change && change.dataLoss === true
}

/** A schema and where its tables lie. */
export interface LaidOut {
  readonly schema: Schema
  readonly layouts: readonly TableLayout[]
}

export interface SchemaDiff {
  /** In the order in which they have to be made. */
  readonly changes: readonly SchemaChange[]
  /**
   * The changes that the database cannot make in place. If there are any, the other changes alone do not reach the new
   * schema.
   */
  readonly refusals: readonly Refusal[]
}

export interface SchemaDiffOptions {
  readonly renames: Renames
  /** The first schema was read from a database, which does not return everything that was declared. */
  readonly live: boolean
  /** The schemas before the first one, oldest first: some engines remember columns that were dropped. */
  readonly earlier: readonly Schema[]
  /** The wording in which a live database returns the SQL of the models. Absent: it is not known. */
  readonly recorded?: readonly RecordedSql[]
}

/** An expression or a query of a schema, as its model has it and as the catalogue of one database gives it back. */
export interface RecordedSql {
  /** The object that it belongs to: `check Order.positive`, `default Order.total`, `generated Order.tax`, `view Recent`. */
  readonly object: string
  readonly model: string
  readonly catalogue: string
}

/** A statement of a change: of the schema, or partitioned DML over existing rows. */
export interface SchemaStatement {
  readonly kind: 'ddl' | 'partitioned'
  readonly sql: string
}

/**
 * How the schemas of one dialect are compared, and how one becomes the other. A dialect whose DDL is not that of SQL brings its
 * own.
 */
export interface SchemaDiffer {
  /**
   * @param like the schema that a database is to have, where the first one is what it has had: its layouts may be taken for
   * tables that are the same, since most are. A schema of the past is not refused for what the dialect does not have.
   */
  layOut(schema: Schema, like?: LaidOut): LaidOut
  /** The changes that turn a database with the first schema into one with the second. */
  diff(from: LaidOut, to: LaidOut, options: SchemaDiffOptions): SchemaDiff
  /** The statements of changes, in their order. */
  statements(changes: readonly SchemaChange[], to: LaidOut): readonly SchemaStatement[]
  /** Tables and columns that may have got another name, the most likely first. */
  renameCandidates(from: LaidOut, to: LaidOut): readonly RenameCandidate[]
  /** Says that the engine cannot rename a table or a column that the models no longer have. Absent: it can. */
  cannotRename?(what: string): string
  /** How many of these changes of the schema, from the first, to hand to the database together: at least one. */
  batchLength(statements: readonly string[]): number
}
