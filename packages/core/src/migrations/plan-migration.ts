import { IsothermError } from '../errors.js'
import { foreignKeyColumns, type Layouts } from '../dialects/ddl/constraints.js'
import { layoutsByName } from '../dialects/ddl/statements.js'
import { sqlOf, type Dialect } from '../dialects/dialect.js'
import { dialectNamed } from '../dialects/registry.js'
import type { TableLayout } from '../dialects/layout.js'
import type { ChangeStream, Schema, View } from '../model/schema.js'
import type { SchemaChange } from './change.js'
import { spelledCql } from './cql/spelled.js'
import { bothLaidOut, compare, type DiffOptions } from './diff-schemas.js'
import type { LaidOut } from './physical-schema.js'
import { MigrationRefusedError } from './refusal.js'
import type { MigrationStatement } from './statement.js'

/**
 * The statements that make one schema of another, in an order in which each has what it needs. Tables and columns that the
 * second schema lacks are dropped with their data: `diffSchemas` marks such changes `destructive`, and whoever runs the
 * statements should have been asked.
 *
 * @throws {MigrationRefusedError} with every change that the database cannot make in place.
 * @throws {IsothermError} `UNSUPPORTED` for what the dialect does not have.
 * @example
 * for (const { kind, sql } of planMigration(snapshot, schema, { dialect: 'googlesql' })) console.log(kind, sql)
 */
export function planMigration(from: Schema, to: Schema, options: DiffOptions): MigrationStatement[] {
  const dialect = dialectNamed(options.dialect, options.target)
  const [before, after] = bothLaidOut(from, to, dialect, options)
  dialect.refuseUnsupported(after.schema, after.layouts)
  const { changes, refusals } = compare(before, after, dialect, options)
  if (refusals.length > 0) throw new MigrationRefusedError(refusals)
  return statementsOf(changes, after, dialect)
}

function statementsOf(
  changes: readonly SchemaChange[],
  after: LaidOut,
  dialect: Dialect,
): MigrationStatement[] {
  if (dialect.cql) return spelledCql(changes, after, dialect.cql).map((sql) => ({ kind: 'ddl', sql }))
  const { schema, layouts } = after
  const target = { byName: layoutsByName(layouts), views: schema.views, streams: schema.changeStreams }
  return changes.flatMap((change) => {
    const kind = change.kind === 'copy-column' ? 'partitioned' : 'ddl'
    return spelled(change, target, dialect).map((sql): MigrationStatement => ({ kind, sql }))
  })
}

/** What the statements make things from. */
interface Target {
  readonly byName: Layouts
  readonly views: readonly View[]
  readonly streams: readonly ChangeStream[]
}

function spelled(change: SchemaChange, { byName, views, streams }: Target, dialect: Dialect): string[] {
  const { ddlSyntax: syntax } = sqlOf(dialect, 'A change of the schema')
  const { alter } = syntax
  const layoutOf = (table: string): TableLayout => byName.get(table)!
  const viewOf = (name: string): View => views.find((view) => view.name === name)!
  const streamOf = (name: string): ChangeStream => streams.find((stream) => stream.name === name)!
  switch (change.kind) {
    case 'create-table': {
      const layout = layoutOf(change.table)
      const keys = layout.table.foreignKeys.filter(({ name }) => change.foreignKeys.includes(name))
      return [
        syntax.table(
          layout,
          keys.map((key) => foreignKeyColumns(byName, layout, key)),
        ),
      ]
    }
    case 'drop-table':
      return [alter.dropTable(change.table)]
    case 'rename-table':
      return [alter.renameTable(change.table, change.to)]
    case 'set-on-delete':
      return [alter.setOnDelete(change.table, change.onDelete)]
    case 'set-interleaving':
      return alter.setInterleaving(change.table, change.parent)
    case 'add-row-deletion':
      return [alter.addRowDeletion(change.table, change.policy)]
    case 'replace-row-deletion':
      return [alter.replaceRowDeletion(change.table, change.policy)]
    case 'drop-row-deletion':
      return [alter.dropRowDeletion(change.table)]
    case 'add-column':
      return [alter.addColumn(change.table, change.column)]
    case 'copy-column':
      return [alter.copyColumn(change.table, change.from, change.to)]
    case 'alter-column':
      return alter.alterColumn(change.table, change.from, change.to)
    case 'drop-column':
      return [alter.dropColumn(change.table, change.column)]
    case 'add-check':
      return [alter.addCheck(change.table, change.check)]
    case 'drop-check':
    case 'drop-foreign-key':
      return [alter.dropConstraint(change.table, change.name)]
    case 'add-foreign-key': {
      const layout = layoutOf(change.table)
      const key = layout.table.foreignKeys.find(({ name }) => name === change.foreignKey.name)!
      return [syntax.addForeignKey(change.table, foreignKeyColumns(byName, layout, key))]
    }
    case 'create-index': {
      const layout = layoutOf(change.table)
      const index = layout.indexes.find((each) => each.index.name === change.index.name)!
      return [syntax.index(byName, layout, index)]
    }
    case 'drop-index':
      return [alter.dropIndex(change.name)]
    case 'add-stored-column':
      return [alter.addStored(change.index, change.column)]
    case 'drop-stored-column':
      return [alter.dropStored(change.index, change.column)]
    case 'create-namespace':
      return [syntax.namespace(change.name)]
    case 'drop-namespace':
      return [alter.dropNamespace(change.name)]
    case 'create-sequence':
      return [syntax.sequence(change.sequence)]
    case 'alter-sequence':
      return [alter.alterSequence(change.from, change.to)]
    case 'drop-sequence':
      return [alter.dropSequence(change.name)]
    case 'create-view':
      return [syntax.view(viewOf(change.view.name))]
    case 'replace-view':
      return [alter.replaceView(viewOf(change.view.name))]
    case 'drop-view':
      return [alter.dropView(change.name)]
    case 'create-change-stream':
      return [syntax.changeStream(streamOf(change.stream.name), byName)]
    case 'alter-change-stream': {
      const { stream, watch, options } = change
      return [
        ...(watch ? [alter.watchOtherwise(streamOf(stream.name), byName)] : []),
        ...(Object.keys(options).length > 0 ? alter.setStreamOptions(stream.name, options) : []),
      ]
    }
    case 'drop-change-stream':
      return [alter.dropChangeStream(change.name)]
    case 'create-type':
    case 'add-type-field':
    case 'drop-type':
    case 'rename-key-column':
    case 'set-table-options':
      throw new IsothermError(
        'UNSUPPORTED',
        `${dialect.name} has no statement for the change ${change.kind}.`,
      )
  }
}
