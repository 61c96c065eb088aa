import { IsothermError, type UserTypeField, describeType, shown } from '@isotherm/core/engine'
import {
  type ChangeStream,
  type Counter,
  type DefinedColumn,
  type Made,
  type PhysicalIndex,
  type SchemaChange,
  counterChanges,
  losesData,
  notNullClause,
} from '@isotherm/core/tools'
import { checkArguments } from '../options.js'

/**
 * Describes a change in one sentence, for the user who has to agree to it.
 *
 * @example
 * describeChange({ kind: 'drop-column', table: 'Order', column: 'note', dataLoss: true })
 * // 'Order: drop the column note, with its data'
 */
export function describeChange(change: SchemaChange): string {
  checkArguments('describeChange', { change })
  const [subject, what] = sentence(change)
  const data = losesData(change) ? `, ${dataOf(change)}` : ''
  const because = 'because' in change && change.because !== undefined ? `, since ${change.because}` : ''
  return `${subject}: ${what}${data}${because}`
}

/** The data that is lost with the object. */
function dataOf({ kind }: SchemaChange): string {
  switch (kind) {
    case 'drop-sequence':
      return 'with its count'
    case 'drop-change-stream':
      return 'with its records'
    case 'alter-change-stream':
      return 'without the records that are older'
    case 'drop-opaque':
      return 'with what it holds'
    case 'add-row-deletion':
    case 'replace-row-deletion':
      return 'those too that are there'
    case 'require-column':
      return 'which reads leave out'
    default:
      return 'with its data'
  }
}

function unknownChange(change: never): IsothermError {
  return new IsothermError(
    'INVALID_OPTION',
    `describeChange: ${shown(change)} is a change of an unknown kind.`,
    {
      fix: 'Give one of the changes that diffSchemas finds.',
    },
  )
}

/** The subject of the change, and what happens to it. */
function sentence(change: SchemaChange): readonly [subject: string, what: string] {
  switch (change.kind) {
    case 'create-table':
      return [change.table, 'create the table']
    case 'drop-table':
      return [change.table, 'drop the table']
    case 'rename-table':
      return [change.table, `rename the table to ${change.to}`]
    case 'set-on-delete':
      return [
        change.table,
        change.onDelete === 'cascade'
          ? `delete rows with their row in ${change.parent}`
          : `refuse to delete a row in ${change.parent} while it has rows in this table`,
      ]
    case 'set-interleaving':
      return [
        change.table,
        change.parent.required === false
          ? `allow rows without a row in ${change.parent.table}`
          : `require a row in ${change.parent.table} for every row`,
      ]
    case 'add-row-deletion':
    case 'replace-row-deletion':
      return [change.table, `delete rows ${change.policy.days} days after ${change.policy.column}`]
    case 'drop-row-deletion':
      return [change.table, 'stop deleting old rows']
    case 'add-column':
      return [
        change.table,
        `add the ${change.static ? 'static ' : ''}column ${change.column.name} (${describeAdded(change)})`,
      ]
    case 'add-opaque-column':
      return [change.table, `add the opaque column ${change.column.name} (${change.column.definition})`]
    case 'copy-column':
      return [change.table, `copy ${change.from} into ${change.to}`]
    case 'alter-column':
      return [
        change.table,
        `change the column ${change.to.name}: ${columnDifference(change.from, change.to)}`,
      ]
    case 'drop-column':
      return [
        change.table,
        `drop the column ${change.column}${change.renamedTo === undefined ? '' : `, once its values are in ${change.renamedTo}`}`,
      ]
    case 'require-column':
      return [change.table, `treat rows in which ${change.column} is NULL as expired`]
    case 'rename-key-column':
      return [change.table, `rename the key column ${change.from} to ${change.to}`]
    case 'set-table-options':
      return [
        change.table,
        change.ttlSeconds === 0
          ? 'let new rows stay; older ones still expire: keep writesExpire until they are gone'
          : `let new rows expire after ${change.ttlSeconds} seconds`,
      ]
    case 'create-type':
      return [change.type.name, `create the user type (${change.type.fields.map(describeField).join(', ')})`]
    case 'add-type-field':
      return [change.type, `add the field ${describeField(change.field)}`]
    case 'drop-type':
      return [change.name, 'drop the user type']
    case 'add-check':
      return [change.table, `add the check ${change.check.name} (${change.check.expression})`]
    case 'drop-check':
      return [change.table, `drop the check ${change.name}`]
    case 'add-foreign-key':
      return [change.table, `add the foreign key ${change.foreignKey.name} to ${change.foreignKey.table}`]
    case 'drop-foreign-key':
      return [change.table, `drop the foreign key ${change.name}`]
    case 'create-index':
      return [change.table, `create the index ${change.index.name} (${indexColumns(change.index)})`]
    case 'drop-index':
      return [change.table, `drop the index ${change.name}`]
    case 'add-stored-column':
      return [change.table, `store ${change.column} in the index ${change.index}`]
    case 'drop-stored-column':
      return [change.table, `stop storing ${change.column} in the index ${change.index}`]
    default:
      return objectSentence(change)
  }
}

type ObjectChange = Extract<
  SchemaChange,
  { readonly kind: `${string}-${'namespace' | 'sequence' | 'view' | 'change-stream' | 'opaque'}` }
>

function objectSentence(change: ObjectChange): readonly [subject: string, what: string] {
  switch (change.kind) {
    case 'create-namespace':
      return [change.name, 'create the named schema']
    case 'drop-namespace':
      return [change.name, 'drop the named schema']
    case 'create-sequence':
      return [change.sequence.name, 'create the sequence']
    case 'alter-sequence':
      return [change.to.name, `change the sequence: ${counterDifference(change.from, change.to)}`]
    case 'drop-sequence':
      return [change.name, 'drop the sequence']
    case 'create-view':
      return [change.view.name, 'create the view']
    case 'replace-view':
      return [change.view.name, 'replace the view']
    case 'drop-view':
      return [change.name, 'drop the view']
    case 'create-change-stream':
      return [change.stream.name, `create the change stream over ${watched(change.stream)}`]
    case 'alter-change-stream':
      return [
        change.stream.name,
        [
          ...(change.watch ? [`watch ${watched(change.stream)}`] : []),
          ...Object.entries(change.options).map(([name, value]) => `${name}: ${value ?? 'the default'}`),
        ].join(', '),
      ]
    case 'drop-change-stream':
      return [change.name, 'drop the change stream']
    case 'create-opaque':
      return [change.name, `run ${change.statement}`]
    case 'drop-opaque':
      return [change.name, `run ${change.statement}`]
    default:
      throw unknownChange(change)
  }
}

function describeField({ name, type }: UserTypeField): string {
  return `${name}: ${describeType(type)}`
}

type AddColumn = Extract<SchemaChange, { readonly kind: 'add-column' }>

function describeAdded(change: AddColumn): string {
  const { column } = change
  return [typeOf(column), nullsOf(change), ...madeOf(column.made)].join(', ')
}

function nullsOf({ column, static: isStatic, unfilled }: AddColumn): string {
  if (unfilled) {
    return isStatic
      ? 'NULL in partitions that are there until it is written'
      : 'NULL in rows that are there, which cannot be read until it is written'
  }
  return notNullClause(column).length === 0 ? 'nullable' : 'not null'
}

function typeOf({ type }: DefinedColumn): string {
  const scalar = type.kind === 'array' ? type.of : type
  const length = 'length' in scalar ? ` of length ${scalar.length}` : ''
  return `${describeType(type)}${length}`
}

function madeOf(made: Made | undefined): string[] {
  switch (made?.by) {
    case 'default':
      return [`default ${made.expression}`]
    case 'generated':
      return [`generated as ${made.expression}`]
    case 'identity':
      return ['identity']
    case 'sequence':
      return [`from the sequence ${made.sequence}`]
    case 'commit-timestamp':
      return ['commit timestamp']
    case undefined:
      return []
  }
}

function columnDifference(from: DefinedColumn, to: DefinedColumn): string {
  const [before, after] = [madeOf(from.made).join(), madeOf(to.made).join()]
  const differences = [
    ...(typeOf(from) === typeOf(to) ? [] : [`${typeOf(from)} becomes ${typeOf(to)}`]),
    ...(from.nullable === to.nullable ? [] : [to.nullable ? 'it becomes nullable' : 'it becomes NOT NULL']),
    ...(before === after ? [] : [after === '' ? `no ${before}` : after]),
    ...(from.made?.by === 'identity' && to.made?.by === 'identity'
      ? [counterDifference(from.made, to.made)]
      : []),
  ]
  return differences.join(', ')
}

function counterDifference(from: Counter, to: Counter): string {
  const { start, range } = counterChanges(from, to)
  return [
    ...(start === undefined
      ? []
      : [`it starts at ${start}, and values may repeat if the database counts from there again`]),
    ...(range === undefined
      ? []
      : [range === 'none' ? 'it skips nothing' : `it skips ${range.join(' to ')}`]),
  ].join(', ')
}

function indexColumns({ parts, storing }: PhysicalIndex): string {
  const key = parts.map(({ column, order }) => (order === 'desc' ? `${column} desc` : column)).join(', ')
  return storing.length > 0 ? `${key}; with ${storing.join(', ')}` : key
}

function watched({ watch }: ChangeStream): string {
  if (watch === 'all') return 'everything'
  const tables = watch.map(({ table, columns }) =>
    columns === 'all' ? table : `${table} (${columns.join(', ')})`,
  )
  return tables.length > 0 ? tables.join(', ') : 'nothing'
}
