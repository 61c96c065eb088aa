import { IsothermError } from '../../errors.js'
import type { CqlParts } from '../../dialects/dialect.js'
import type { SchemaChange } from '../change.js'
import type { LaidOut } from '../physical-schema.js'
import { keyspaceOf, type KeyspaceTable } from './physical-tables.js'

/** The statements of changes to a keyspace, in their order. */
export function spelledCql(
  changes: readonly SchemaChange[],
  after: LaidOut,
  { ddlSyntax: syntax }: CqlParts,
): string[] {
  const tables = new Map(keyspaceOf(after).tables.map((table) => [table.name, table]))
  const tableOf = (name: string): KeyspaceTable => tables.get(name)!
  return changes.flatMap((change): string[] => {
    switch (change.kind) {
      case 'create-type':
        return [syntax.type(change.type)]
      case 'add-type-field':
        return [syntax.addTypeField(change.type, change.field)]
      case 'drop-type':
        return [syntax.dropType(change.name)]
      case 'create-table':
        return [syntax.table(tableOf(change.table))]
      case 'drop-table':
        return [syntax.dropTable(change.table)]
      case 'rename-key-column':
        return [syntax.renameKeyColumn(change.table, change.from, change.to)]
      case 'add-column': {
        const { name, type } = change.column
        return [syntax.addColumn(change.table, { name, type, ...(change.static && { static: true }) })]
      }
      case 'drop-column':
        return [syntax.dropColumn(change.table, change.column)]
      case 'set-table-options':
        return syntax.tableOptions(
          change.table,
          { timeToLive: change.timeToLive },
          // Where rows had no time to live, it may never have been switched on.
          { timeToLive: change.before === 0 ? undefined : change.before },
        )
      case 'create-index': {
        const index = tableOf(change.table).indexes.find(({ name }) => name === change.index.name)!
        return [syntax.index(change.table, index)]
      }
      case 'drop-index':
        return [syntax.dropIndex(change.name)]
      default:
        throw new IsothermError('UNSUPPORTED', `CQL has no statement for the change ${change.kind}.`)
    }
  })
}
