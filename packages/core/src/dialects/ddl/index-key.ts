import type { IndexLayout, PhysicalColumn, PhysicalKeyPart, TableLayout } from '../layout.js'
import type { Layouts } from './constraints.js'

/** A column of an index's key, as it is spelled. */
export interface IndexColumn {
  readonly property: string
  readonly column: PhysicalColumn
  readonly order: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last'
}

/**
 * The columns of an index's key. An index that is interleaved begins with the parent's key as that one lies in the
 * database: with its mirrors, where keys cannot descend.
 */
export function indexColumns(
  layouts: Layouts,
  layout: TableLayout,
  { index, key, shard }: IndexLayout,
): readonly IndexColumn[] {
  const parent = index.interleaveIn === undefined ? undefined : layouts.get(index.interleaveIn)
  const ofParent = new Set(parent?.table.primaryKey.map((part) => part.property))
  const own = key.filter(({ field }) => !ofParent.has(field.column.property))
  const parts = [...(parent ? parentColumns(layout, parent) : []), ...own.map(indexColumn)]
  return parts.map((part): IndexColumn => {
    const nulls =
      part.property === shard?.column.property
        ? undefined
        : index.parts.find(({ property }) => property === part.property)?.nulls
    return { ...part, ...(nulls && { nulls }) }
  })
}

function indexColumn({ field, column, order }: PhysicalKeyPart): IndexColumn {
  return { property: field.column.property, column, order }
}

/** The parent's key, in this table's columns of the same names. */
function parentColumns(layout: TableLayout, parent: TableLayout): IndexColumn[] {
  return parent.key.map((part) => {
    const { property } = part.field.column
    const field = layout.byProperty.get(property)!
    const column =
      part.column === part.field.mirror
        ? field.mirror!
        : field.physical[part.field.physical.indexOf(part.column)]!
    return { property, column, order: part.order }
  })
}
