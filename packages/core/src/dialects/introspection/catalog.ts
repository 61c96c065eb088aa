import type { ChangeStream, Sequence, View } from '../../model/schema.js'
import type { ForeignKey, Interleaving } from '../../model/table.js'

// A database as its catalogue has it: names and SQL texts, nothing recognised yet. Names carry their named schema;
// those of columns stand where a schema has properties.

export interface CatalogIdentity {
  readonly startCounter?: string
  readonly skipRange?: readonly [string, string]
}

export interface CatalogColumn {
  readonly name: string
  /** In the dialect's spelling: `STRING(36)`. */
  readonly type: string
  readonly nullable: boolean
  readonly default?: string
  readonly generated?: { readonly expression: string; readonly stored: boolean }
  readonly identity?: CatalogIdentity
  /** Whether an update of the row changes it: `ON UPDATE`. */
  readonly updates: boolean
  readonly allowsCommitTimestamp: boolean
  readonly hidden: boolean
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
}

export interface CatalogCheck {
  readonly name: string
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
  /** Its place among the database's DDL. */
  readonly position: number
}

export interface Catalog {
  readonly tables: readonly CatalogTable[]
  readonly namespaces: readonly string[]
  readonly sequences: readonly Sequence[]
  readonly views: readonly CatalogView[]
  readonly changeStreams: readonly ChangeStream[]
}
