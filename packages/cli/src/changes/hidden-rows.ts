import type { ColumnSchema, Schema } from '@isotherm/core'

/** Rows that stay where they are, and that the new models no longer look for: nothing in the database changes. */
export interface HiddenRows {
  readonly table: string
  /** The column of the time bucket. */
  readonly column: string
  /** The first day from which on they are found. */
  readonly since: string
  /** The same as it was; absent where a query had to say how far back. */
  readonly before?: string
}

/** What moves of `since` hide: the rows of earlier time buckets. */
export function hiddenRows(from: Schema, to: Schema): readonly HiddenRows[] {
  return to.tables.flatMap(({ name: table, columns }) => {
    const old = from.tables.find(({ name }) => name === table)?.columns
    return columns.flatMap((column): HiddenRows[] => {
      const was = old?.find(({ name }) => name === column.name)
      const [before, since] = [was && sinceOf(was), sinceOf(column)]
      // Days in order are texts in order.
      if (was?.source?.kind !== 'time-bucket' || since === undefined || (before ?? '') >= since) return []
      return [{ table, column: column.name, since, ...(before !== undefined && { before }) }]
    })
  })
}

function sinceOf({ source }: ColumnSchema): string | undefined {
  return source?.kind === 'time-bucket' ? source.since : undefined
}

export function describeHidden({ table, column, since, before }: HiddenRows): string {
  const move = before === undefined ? `begins at ${since}` : `begins at ${since}, and no longer at ${before}`
  return `${table}: ${column} ${move}. Rows before that stay, and no query over a span of time finds them: delete them first.`
}
