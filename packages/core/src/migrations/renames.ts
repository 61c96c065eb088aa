/**
 * What has got another name, in the database's names: without it, one name that vanishes and another that appears are two
 * things.
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
