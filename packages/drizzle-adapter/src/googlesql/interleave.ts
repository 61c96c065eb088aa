import { entityKind, type Table } from 'drizzle-orm'

export interface InterleaveOptions {
  /** What becomes of the rows when their parent's row is deleted. Default: `no action`, which refuses the deletion. */
  readonly onDelete?: 'cascade' | 'no action'
  /** `false`: a row may be there without its parent's row. Default: true. */
  readonly requireParent?: boolean
}

/** The parent in whose rows a table's rows live. */
export class Interleaving {
  static readonly [entityKind]: string = 'SpannerInterleaving'
  readonly parent: Table
  readonly onDelete: 'cascade' | 'no action'
  readonly requireParent: boolean

  constructor(parent: Table, { onDelete = 'no action', requireParent = true }: InterleaveOptions) {
    this.parent = parent
    this.onDelete = onDelete
    this.requireParent = requireParent
  }
}

/**
 * Keeps a table's rows in the rows of its parent, whose key its own key starts with: see `parentKey`.
 *
 * @example
 * interleaveIn(customers, { onDelete: 'cascade' })
 */
export function interleaveIn(parent: Table, options: InterleaveOptions = {}): Interleaving {
  return new Interleaving(parent, options)
}
