import type { ColumnType } from '../../model/column-type.js'
import type { HashAlgorithm, ShardSource } from '../../model/key.js'
import type { Sequence } from '../../model/schema.js'
import type { SqlDialect } from '../../model/sql-expression.js'
import type { HashedColumn } from '../table-layout.js'
import type { CatalogColumn } from './catalog.js'
import type { CatalogContext } from './catalog-context.js'
import type { CatalogSyntax } from './catalog-query.js'
import type { DefaultCall } from './defaults.js'
import type { NormalForm } from './normal-form.js'

export interface RecognisedType {
  readonly type: ColumnType
  /** The type itself says that the column takes commit timestamps. */
  readonly commitTimestamp?: true
}

export interface RecognisedRowDeletion {
  readonly column: string
  readonly days: number
}

/** How Isotherm itself writes a hash in a dialect. */
export interface HashPrinter {
  shardExpression(
    columns: readonly HashedColumn[],
    source: Pick<ShardSource, 'shards' | 'first' | 'signed'>,
  ): string
  hashExpression(columns: readonly HashedColumn[], algorithm: HashAlgorithm): string
}

/** What introspection needs to know of a dialect. */
export interface IntrospectedDialect extends CatalogSyntax {
  readonly name: SqlDialect
  /** The named schema that names go without. */
  readonly defaultSchema: string
  /** The dialect's reading of an expression, to compare expressions by. */
  normalForm(sql: string): NormalForm
  /** Undefined for a type that no `Schema` has. */
  typeOf(spelling: string): RecognisedType | undefined
  /** Undefined for a default that Isotherm does not write itself. */
  defaultCall(expression: string, sequences: readonly string[]): DefaultCall | undefined
  /** Undefined for a policy that is not so many days. */
  rowDeletion(policy: string): RecognisedRowDeletion | undefined
  readSequences(context: CatalogContext): Promise<Sequence[]>
  readonly hashes: HashPrinter
  /** Whether one column is the mirror that a key has in place of the other's descending order. */
  isMirror?(mirror: CatalogColumn, of: CatalogColumn, type: ColumnType): boolean
}
