import type { View } from '../../model/schema.js'
import type { ForeignKey } from '../../model/table.js'
import type { CatalogIdentity, CatalogKeyPart } from './catalog.js'

// What the catalogue of an engine may leave out, and its own DDL tells.

/** The name of a table as a `Schema` has it, given its parts. */
export type NameOf = (path: readonly string[]) => string

export interface ColumnClauses {
  readonly identity?: CatalogIdentity
  readonly hidden: boolean
  readonly onUpdate: boolean
}

/** The engine names those without a name, and tells the name in its catalogue only. */
export type ForeignKeyClause = Omit<ForeignKey, 'name'> & { readonly name?: string }

export interface TableClauses {
  readonly columns: ReadonlyMap<string, ColumnClauses>
  readonly foreignKeys: readonly ForeignKeyClause[]
  readonly parent?: string
}

export interface IndexClauses {
  /** Where NULL stands, by column, for those parts that say so. */
  readonly nulls: ReadonlyMap<string, NonNullable<CatalogKeyPart['nulls']>>
  readonly notNull: readonly string[]
  readonly interleaveIn?: string
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
  readonly changeStreamOptions: ReadonlyMap<string, Readonly<Record<string, string>>>
}
