import {
  IsothermError,
  type TableLayout,
  type Token,
  areWords,
  isName,
  isSymbol,
  tokenize,
  known,
  present,
} from '@isotherm/core/engine'
import {
  type ChangeStream,
  type LaidOut,
  type Layouts,
  type SchemaChange,
  type SchemaStatement,
  type SqlDialect,
  type View,
  foreignKeyColumns,
  isWord,
  layoutsByName,
} from '@isotherm/core/tools'

/** How many statements of a batch may look at the rows that there are. */
const MAX_OVER_ROWS = 10

/** How many statements a batch may have: each takes a few records, and the answer to how it stands lists them all. */
const MAX = 500

/**
 * How many of these schema changes, from the first, to send to the database together. The database processes them in order,
 * and the fewer versions of the schema that takes, the better. So a new table goes together with the indexes that follow
 * it, which then have nothing to fill; and of changes that have to fill or check rows, a batch has no more than ten. Where a
 * batch is a transaction, it is as long as it can be.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-updates-best-practices#large-updates
 */
export function batchLength(statements: readonly string[], { lexicalSyntax, sql }: SqlDialect): number {
  if (sql.ddlSyntax.isTransactional) return Math.min(statements.length, MAX)
  const empty = new Set<string>()
  let overRows = 0
  for (const [at, sql] of statements.slice(0, MAX).entries()) {
    const tokens = tokenize(sql, lexicalSyntax)
    const table = newTable(tokens)
    // After what looks at rows nothing counts as empty any more: the indexes of this table would be filled.
    if (table !== undefined && overRows > 0) return at
    if (readsRows(tokens, empty)) {
      if (overRows === MAX_OVER_ROWS) return at
      overRows++
      empty.clear()
    }
    if (table !== undefined) empty.add(table)
  }
  return Math.min(statements.length, MAX)
}

/** Whether a statement may have to fill something from the rows that there are, or to check them. */
function readsRows(tokens: readonly Token[], empty: ReadonlySet<string>): boolean {
  if (isWord(tokens[0], 'CREATE')) {
    const isIndex = tokens.slice(1, 5).some((token) => isWord(token, 'INDEX'))
    if (isIndex) return !empty.has(indexedTable(tokens) ?? '')
    return isWord(tokens[1], 'TABLE') && tokens.some((_, at) => areWords(tokens, at, 'FOREIGN', 'KEY'))
  }
  if (isWord(tokens[0], 'ALTER')) return isWord(tokens[1], 'TABLE') || addsToIndex(tokens)
  return isWord(tokens[0], 'ANALYZE')
}

/** A column that an index is to keep is filled in for all rows. */
function addsToIndex(tokens: readonly Token[]): boolean {
  return (
    tokens.slice(1, 3).some((token) => isWord(token, 'INDEX')) &&
    tokens.some(
      (_, at) =>
        areWords(tokens, at, 'ADD', 'STORED', 'COLUMN') || areWords(tokens, at, 'ADD', 'INCLUDE', 'COLUMN'),
    )
  )
}

function newTable(tokens: readonly Token[]): string | undefined {
  if (!areWords(tokens, 0, 'CREATE', 'TABLE')) return undefined
  return nameAt(tokens, areWords(tokens, 2, 'IF', 'NOT', 'EXISTS') ? 5 : 2)
}

function indexedTable(tokens: readonly Token[]): string | undefined {
  const on = tokens.findIndex((token) => isWord(token, 'ON'))
  return on < 0 ? undefined : nameAt(tokens, on + 1)
}

/** A name with its named schema, if it has one; upper and lower case are one to the database. */
function nameAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at]
  if (!isName(token)) return undefined
  const name = token.text.toLowerCase()
  return isSymbol(tokens[at + 1], '.') ? `${name}.${nameAt(tokens, at + 2) ?? ''}` : name
}

/** The statements of changes, in their order. */
export function sqlStatements(
  changes: readonly SchemaChange[],
  { schema, layouts }: LaidOut,
  dialect: SqlDialect,
): SchemaStatement[] {
  const target = { byName: layoutsByName(layouts), views: schema.views, streams: schema.changeStreams }
  return changes.flatMap((change) => {
    const kind = change.kind === 'copy-column' ? 'partitioned' : 'ddl'
    return rendered(change, target, dialect).map((sql): SchemaStatement => ({ kind, sql }))
  })
}

/** The objects that the statements are made from. */
interface Target {
  readonly byName: Layouts
  readonly views: readonly View[]
  readonly streams: readonly ChangeStream[]
}

function rendered(
  change: SchemaChange,
  { byName, views, streams }: Target,
  { name, sql: { ddlSyntax: syntax } }: SqlDialect,
): string[] {
  const { alter } = syntax
  const layoutOf = (table: string): TableLayout => known(byName, table)
  const viewOf = (name: string): View =>
    present(
      views.find((view) => view.name === name),
      `view ${name}`,
    )
  const streamOf = (name: string): ChangeStream =>
    present(
      streams.find((stream) => stream.name === name),
      `change stream ${name}`,
    )
  switch (change.kind) {
    case 'create-table': {
      const layout = layoutOf(change.table)
      const keys = layout.table.foreignKeys.filter(({ name }) => change.foreignKeys.includes(name))
      return syntax.table(
        layout,
        keys.map((key) => foreignKeyColumns(byName, layout, key)),
      )
    }
    case 'drop-table':
      return [alter.dropTable(change.table)]
    case 'rename-table':
      return alter.renameTable(change.table, layoutOf(change.to), change.parent)
    case 'set-on-delete':
      return alter.setOnDelete(layoutOf(change.table), change.onDelete)
    case 'set-interleaving':
      return alter.setInterleaving(layoutOf(change.table), change.parent)
    case 'add-row-deletion':
      return [present(alter.rowDeletion, 'rowDeletion').add(change.table, change.policy)]
    case 'replace-row-deletion':
      return [present(alter.rowDeletion, 'rowDeletion').replace(change.table, change.policy)]
    case 'drop-row-deletion':
      return [present(alter.rowDeletion, 'rowDeletion').drop(change.table)]
    case 'add-column':
      return alter.addColumn(change.table, change.column)
    case 'add-opaque-column':
      return [alter.addOpaqueColumn(change.table, change.column)]
    case 'create-opaque':
    case 'drop-opaque':
      return [change.statement]
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
      const { name: keyName } = change.foreignKey
      const key = present(
        layout.table.foreignKeys.find(({ name }) => name === keyName),
        `foreign key ${keyName}`,
      )
      return [syntax.addForeignKey(change.table, foreignKeyColumns(byName, layout, key))]
    }
    case 'create-index': {
      const layout = layoutOf(change.table)
      const { name: indexName } = change.index
      const index = present(
        layout.indexes.find((each) => each.index.name === indexName),
        `index ${indexName}`,
      )
      return [syntax.index(byName, layout, index)]
    }
    case 'drop-index':
      return [alter.dropIndex(change.name)]
    case 'add-stored-column':
      return [present(alter.stored, 'stored').add(change.index, change.column)]
    case 'drop-stored-column':
      return [present(alter.stored, 'stored').drop(change.index, change.column)]
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
      return [present(alter.replaceView, 'replaceView')(viewOf(change.view.name))]
    case 'drop-view':
      return [alter.dropView(change.name)]
    case 'create-change-stream':
      return [syntax.changeStream(streamOf(change.stream.name), byName)]
    case 'alter-change-stream': {
      const { stream, watch, options } = change
      return [
        ...(watch ? [alter.watchOtherwise(streamOf(stream.name), byName)] : []),
        ...(Object.keys(options).length > 0
          ? present(alter.setStreamOptions, 'setStreamOptions')(stream.name, options)
          : []),
      ]
    }
    case 'drop-change-stream':
      return [alter.dropChangeStream(change.name)]
    case 'create-type':
    case 'add-type-field':
    case 'drop-type':
    case 'rename-key-column':
    case 'require-column':
    case 'set-table-options':
      throw new IsothermError(
        'UNSUPPORTED_FEATURE',
        `${name} has no statement for the change ${change.kind}.`,
      )
  }
}
