import type { ColumnRowDeletion } from '../dialects/ddl/alter-syntax.js'
import type { SpelledCheck } from '../dialects/ddl/clauses.js'
import type { DefinedColumn } from '../dialects/ddl/defined-column.js'
import type { ChangeStream, Sequence, UserType, UserTypeField } from '../model/schema.js'
import type { Interleaving } from '../model/table.js'
import type { PhysicalForeignKey, PhysicalIndex, PhysicalView } from './physical-schema.js'

/** Data, or what cannot be got back, goes with it. */
interface Destructive {
  readonly destructive: true
}

/** Why something goes that is made again: what it stands in the way of. */
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
  | ({ readonly kind: 'drop-table'; readonly table: string } & Destructive)
  | { readonly kind: 'rename-table'; readonly table: string; readonly to: string }
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
    } & Destructive)
  | ({
      readonly kind: 'replace-row-deletion'
      readonly table: string
      readonly policy: ColumnRowDeletion
    } & Partial<Destructive>)
  | ({ readonly kind: 'drop-row-deletion'; readonly table: string } & Again)
  | {
      readonly kind: 'set-table-options'
      readonly table: string
      /** In seconds; 0: rows stay. */
      readonly timeToLive: number
      readonly before: number
    }

type ColumnChange =
  | {
      readonly kind: 'add-column'
      readonly table: string
      readonly column: DefinedColumn
      /** One value for all rows of a partition. */
      readonly static?: true
      /** The model takes no NULL, and the database has nothing else for rows that are there. */
      readonly unfilled?: true
    }
  /** Values of a column that is renamed, to where they are looked for from now on. */
  | { readonly kind: 'copy-column'; readonly table: string; readonly from: string; readonly to: string }
  | {
      readonly kind: 'alter-column'
      readonly table: string
      readonly from: DefinedColumn
      readonly to: DefinedColumn
    }
  | ({ readonly kind: 'drop-column'; readonly table: string; readonly column: string } & Partial<Destructive>)
  | {
      readonly kind: 'rename-key-column'
      readonly table: string
      readonly from: string
      readonly to: string
    }

type ConstraintChange =
  | { readonly kind: 'add-check'; readonly table: string; readonly check: SpelledCheck }
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
  | ({ readonly kind: 'drop-sequence'; readonly name: string } & Destructive)
  | { readonly kind: 'create-view' | 'replace-view'; readonly view: PhysicalView }
  | ({ readonly kind: 'drop-view'; readonly name: string } & Again)
  | { readonly kind: 'create-change-stream'; readonly stream: ChangeStream }
  | {
      readonly kind: 'alter-change-stream'
      readonly stream: ChangeStream
      readonly watch: boolean
      /** The options that change; null goes back to the default. */
      readonly options: Readonly<Record<string, string | null>>
    }
  | ({ readonly kind: 'drop-change-stream'; readonly name: string } & Destructive)

/** One step from a schema to another: plain data. */
export type SchemaChange =
  | TableChange
  | ColumnChange
  | ConstraintChange
  | IndexChange
  | TypeChange
  | ObjectChange

/** Whether data, or what cannot be got back, goes with a change. */
export function isDestructive(change: SchemaChange): boolean {
  return 'destructive' in change && change.destructive === true
}
