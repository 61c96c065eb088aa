import type { SchemaChange } from '@isotherm/core/migrations'

const LONGEST = 60

/** A name for changes: `create_table_order`, `rename_column_order_total_to_amount`, `add_column_order_note_and_more`. */
export function migrationName(changes: readonly SchemaChange[]): string {
  const [first] = changes
  if (!first) return 'changes'
  // A column that is copied has another name now: that is what it is about, and what is around it belongs to that.
  const copied = changes.filter(({ kind }) => kind === 'copy-column')
  const subject = copied[0] ?? first
  const others = copied.length === 1 ? changes.some((change) => !isOfRename(change)) : changes.length > 1
  return `${snakeCase(wordsOf(subject).join('_')).slice(0, LONGEST)}${others ? '_and_more' : ''}`
}

function isOfRename({ kind }: SchemaChange): boolean {
  return ['add-column', 'copy-column', 'alter-column', 'drop-column'].includes(kind)
}

function wordsOf(change: SchemaChange): string[] {
  const { kind } = change
  switch (kind) {
    case 'copy-column':
      return ['rename-column', change.table, change.from, 'to', change.to]
    case 'add-column':
      return [kind, change.table, change.column.name]
    case 'alter-column':
      return [kind, change.table, change.to.name]
    case 'drop-column':
      return [kind, change.table, change.column]
    case 'rename-table':
      return [kind, change.table, 'to', change.to]
    case 'create-index':
      return [kind, change.index.name]
    case 'create-sequence':
      return [kind, change.sequence.name]
    default:
      return [kind, 'name' in change ? change.name : 'table' in change ? change.table : '']
  }
}

function snakeCase(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
}
