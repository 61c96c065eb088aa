import { defineSchema, defineTable, IsothermError, type ColumnSchema, type TableSchema } from '@isotherm/core'
import {
  ColumnBuilder,
  definitionOf,
  modelName,
  type ColumnDeclaration,
  type TableDefinition,
} from '@isotherm/core/adapter'

/** A model's table: what was declared, and what its columns and its key are once its parents are known. */
export interface ModelShape {
  readonly definition: TableDefinition
  readonly columns: readonly ModelColumn[]
  readonly primaryKey: TableSchema['primaryKey']
}

export interface ModelColumn extends ColumnSchema {
  /** What a column of this package's says of itself: its type, and how its values come about. */
  readonly declaration: ColumnDeclaration
}

/**
 * What a model says of its columns and its key. Its parents are looked at, no other models: those that it refers to need not
 * be there yet.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` for what is no model.
 * @throws {SchemaError} with everything that is wrong with the columns, or those of a parent.
 */
export function modelShape(model: object): ModelShape {
  const definition = definitionIn(model)
  const { columns, primaryKey } = resolved(model, definition.name)
  const declared = new Map(definition.columns.map((column) => [column.property, column]))
  return {
    definition,
    primaryKey,
    columns: columns.map((column) => {
      const order = primaryKey.find((part) => part.property === column.property)?.order
      const declaration = column.inherited
        ? inheritedDeclaration(column)
        : ownDeclaration(declared.get(column.property)!)
      return { ...column, declaration: { ...declaration, ...(order && { key: order }) } }
    }),
  }
}

function definitionIn(model: object): TableDefinition {
  const definition = definitionOf(model)
  if (definition) return definition
  throw new IsothermError('SCHEMA_INVALID', `${modelName(model)} is not a model.`, {
    fix: 'Decorate the class with @Table(name), or pass what defineTable returned.',
  })
}

/** A column's name, nullability and SQL are Drizzle's own to say. */
function ownDeclaration(definition: TableDefinition['columns'][number]): ColumnDeclaration {
  const { type, immutable, source, hidden, binding } = definition
  return {
    type: type!,
    ...(immutable !== undefined && { immutable }),
    ...(source && { source }),
    ...(hidden && { hidden }),
    ...(binding && { binding }),
  }
}

/** What the parent's row has been given is known to the caller alone, but for what its values tell. */
function inheritedDeclaration({ type, source }: ColumnSchema): ColumnDeclaration {
  const isTold = source?.kind === 'shard' || source?.kind === 'hash'
  return { parentKey: true, type, ...(isTold && { source }) }
}

function resolved(model: object, name: string): TableSchema {
  const lineage = new Map<object, object>()
  for (let at: object | undefined = model; at && !lineage.has(at);) {
    const definition = definitionIn(at)
    lineage.set(at, keyModel(definition, lineage))
    at = definition.options.interleaveIn?.()
  }
  return defineSchema([...lineage.values()]).tables.find((table) => table.name === name)!
}

/** A table without what other tables have a part in. */
function keyModel({ name, columns, options }: TableDefinition, models: ReadonlyMap<object, object>): object {
  const { interleaveIn, primaryKey } = options
  const builders = columns.map(({ property, ...patch }) => [property, new ColumnBuilder<unknown>(patch)])
  return defineTable(name, () => Object.fromEntries(builders) as Record<string, ColumnBuilder<unknown>>, {
    ...(interleaveIn && { interleaveIn: () => models.get(interleaveIn())! }),
    ...(primaryKey && { primaryKey }),
  })
}
