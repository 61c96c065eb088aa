import { describeType, present } from '@isotherm/core/engine'
import type { Made, Refusal, RenameCandidate } from '@isotherm/core/tools'
import { folded, matched, mentions, sameName } from '../names.js'
import type { LaidColumn, PhysicalTable } from '../physical-schema.js'
import {
  type ComparedColumns,
  type ComparedTables,
  defined,
  expressionOf,
  isNotNull,
  isSameMade,
  keyColumns,
  kindOf,
  oldNamesOf,
} from './renames.js'
import type { DiffContext } from './context.js'
import { stepsToNewKey } from './key.js'

type ColumnRefusal = Pick<Refusal, 'kind' | 'message' | 'fix'>

const NEW_COLUMN = 'Add a column under another name, fill it, and drop this one in a migration after that.'

/**
 * Why a column cannot become another one in place; undefined where it can.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-updates#supported-updates
 */
function columnRefusal(
  context: DiffContext,
  tables: ComparedColumns,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  return (
    keyRefusal(context, tables, before, after) ??
    madeRefusal(context, tables, before, after) ??
    typeRefusal(context, tables, before, after) ??
    nullRefusal(context, before, after) ??
    hiddenRefusal(context, before, after)
  )
}

function keyRefusal(
  context: DiffContext,
  { from, to, inherited }: ComparedTables,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  const name = folded(after.name)
  if (!keyColumns(from, to).has(name)) return undefined
  const sameType = kindOf(before) === kindOf(after)
  if (isGenerated(before) || isGenerated(after)) {
    return {
      kind: 'primary-key',
      message:
        'is a key column, and how the database computes it cannot change: existing rows would keep their old keys.',
      fix: stepsToNewKey(context),
    }
  }
  if (!sameType) {
    return {
      kind: 'column-type',
      message: `is a key column of type ${describeType(before.type)}, and the model has ${describeType(after.type)}.`,
      fix: stepsToNewKey(context),
    }
  }
  if (isNotNull(before) !== isNotNull(after)) {
    return {
      kind: 'primary-key',
      message: `is a key column, and the model ${isNotNull(after) ? 'makes it NOT NULL' : 'makes it nullable'}.`,
      fix: stepsToNewKey(context),
    }
  }
  const stamped = commits(before) !== commits(after)
  if (inherited.has(name) && !stamped) {
    return {
      kind: 'inherited-key',
      message:
        'is a key column that interleaved tables have too: neither its length nor its default can change.',
      fix: `Keep it as it is. ${stepsToNewKey(context)}`,
    }
  }
  return undefined
}

function madeRefusal(
  context: DiffContext,
  { to }: ComparedTables,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  const [old, made] = [before.made, after.made]
  if (isGenerated(before) || isGenerated(after)) return generatedRefusal(context, to, before, after)
  if ((old?.by === 'identity') !== (made?.by === 'identity')) {
    return {
      kind: 'identity',
      message: `is ${old?.by === 'identity' ? 'an identity, which cannot be removed' : 'not an identity, and cannot become one'}.`,
      fix: `Keep it${old?.by === 'identity' ? '' : ', or draw from a sequence'}. ${NEW_COLUMN}`,
    }
  }
  if (old?.by === 'identity' && isNotNull(before) !== isNotNull(after)) {
    return {
      kind: 'identity',
      message: `is an identity, whose ${isNotNull(before) ? 'NOT NULL' : 'nullability'} cannot change.`,
      fix: 'Keep it as it is.',
    }
  }
  if (commits(before) && !commits(after) && !context.sql.ddlSyntax.alter.revokesCommitTimestamp) {
    return {
      kind: 'commit-timestamp',
      message: 'accepts commit timestamps, which cannot be switched off.',
      fix: `Keep default: 'commit'. ${NEW_COLUMN}`,
    }
  }
  return undefined
}

function generatedRefusal(
  context: DiffContext,
  to: PhysicalTable,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  const [old, made] = [before.made, after.made]
  if (old?.by !== 'generated' || made?.by !== 'generated') {
    return refused(
      `is ${old?.by === 'generated' ? 'generated, and cannot become a plain column' : 'a plain column, and cannot become generated'}.`,
    )
  }
  if (old.stored !== made.stored) return refused(`is ${old.stored ? '' : 'not '}stored, which cannot change.`)
  if (old.notNull !== made.notNull)
    return refused(
      `is ${old.notNull ? '' : 'not '}NOT NULL, which cannot change for a column that is not stored.`,
    )
  const sameExpression = isSameMade(context, old, made)
  const canAlter = context.sql.ddlSyntax.alter.altersGenerated
  if (after.shards !== undefined && (old.stored || !canAlter)) {
    return {
      kind: 'generated-column',
      message: `shards the index ${after.shards}, and its expression cannot change in this dialect.`,
      fix: 'Give the index another name, so that a new one is created.',
    }
  }
  if (!sameExpression && old.stored) return refused('is stored, so that its expression cannot change.')
  if (!canAlter) return refused('is generated, and its definition cannot change in this dialect.')
  const reader = to.columns.find(
    (column) => column !== after && mentions(expressionOf(column), after.name, context.lexicalSyntax),
  )
  if (!sameExpression && reader)
    return refused(`is read by the generated column ${reader.name}, so that its expression cannot change.`)
  return undefined
}

function refused(message: string): ColumnRefusal {
  return { kind: 'generated-column', message, fix: NEW_COLUMN }
}

function typeRefusal(
  context: DiffContext,
  { from, to, lingering }: ComparedColumns,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  const sameKind = kindOf(before) === kindOf(after)
  if (sameKind && !isRetyped(context, before, after)) return undefined
  const [stored, wanted] = [uuidStorage(before), uuidStorage(after)]
  if (
    !sameKind &&
    stored !== undefined &&
    wanted !== undefined &&
    (before.type.kind === 'uuid' || after.type.kind === 'uuid')
  ) {
    return {
      kind: 'uuid-storage',
      message: `is a UUID stored as ${stored}, and the model stores it as ${wanted}.`,
      fix: `Keep its storage. ${NEW_COLUMN}`,
    }
  }
  if (!sameKind && (!isTextOrBytes(before) || !isTextOrBytes(after))) {
    return {
      kind: 'column-type',
      message: `is of type ${described(before)}, and the model has ${described(after)}.`,
      fix: NEW_COLUMN,
    }
  }
  // A generated column that is new is added after the others have changed.
  const kept = to.columns.filter(({ name }) => from.columns.some((column) => sameName(column.name, name)))
  const reader = [...kept, ...lingering].find((column) =>
    mentions(expressionOf(column), after.name, context.lexicalSyntax),
  )
  if (reader || isGenerated(after)) {
    return {
      kind: 'column-type',
      message: `is ${reader ? `read by the generated column ${reader.name}` : 'generated'}, so that its type cannot change.`,
      fix: NEW_COLUMN,
    }
  }
  return undefined
}

/** Whether a column changes its type; in some dialects, its length is a part of that. */
function isRetyped({ sql }: DiffContext, before: LaidColumn, after: LaidColumn): boolean {
  const { columnType, resizesReadColumns } = sql.ddlSyntax.alter
  return resizesReadColumns ? kindOf(before) !== kindOf(after) : columnType(before) !== columnType(after)
}

/** How a column stores a UUID, if it is one, or may be. */
function uuidStorage({ type }: LaidColumn): string | undefined {
  if (type.kind === 'uuid') return type.storage ?? 'text'
  return type.kind === 'bytes' ? 'bytes' : undefined
}

/** The two types that may be changed into each other; not the text of a UUID, which is not another storage of its bytes. */
function isTextOrBytes({ type, isUuid }: LaidColumn): boolean {
  return type.kind === 'string' || (type.kind === 'bytes' && !isUuid)
}

function described({ type, isUuid }: LaidColumn): string {
  return isUuid ? 'uuid, stored as bytes' : describeType(type)
}

function nullRefusal(context: DiffContext, before: LaidColumn, after: LaidColumn): ColumnRefusal | undefined {
  if (isNotNull(before) || !isNotNull(after) || !isFixedArray(context, after)) return undefined
  return {
    kind: 'not-null',
    message: 'is an array, which can be NOT NULL only from the beginning of its table.',
    fix: 'Declare it nullable.',
  }
}

/** Whether a column is an array that a table which exists can have only as nullable. */
function isFixedArray({ sql }: DiffContext, { type }: LaidColumn): boolean {
  return type.kind === 'array' && !sql.ddlSyntax.alter.constrainsArrays
}

function hiddenRefusal(
  { sql, live }: DiffContext,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  if (live || !sql.ddlSyntax.alter.hidesColumns || before.hidden === after.hidden) return undefined
  return {
    kind: 'hidden',
    message: `is ${before.hidden ? '' : 'not '}hidden, which cannot change.`,
    fix: `Keep hidden as it is. ${NEW_COLUMN}`,
  }
}

function isGenerated({ made }: { readonly made?: Made }): boolean {
  return made?.by === 'generated'
}

function commits({ made }: LaidColumn): boolean {
  return made?.by === 'commit-timestamp'
}

/** Compares the columns of a table that both schemas have. */
export interface ColumnsDiff {
  /** Folded names of columns that change their type, apart from its length. */
  readonly retyped: ReadonlySet<string>
  /** Folded names of columns that begin, or cease, to take NULL. */
  readonly nullability: ReadonlySet<string>
  /** Folded names of columns that go, and of those that come. */
  readonly gone: ReadonlySet<string>
  readonly added: ReadonlySet<string>
  /** Folded names of generated columns that go, before others change. */
  readonly goneEarly: ReadonlySet<string>
}

interface ColumnPair {
  readonly from: LaidColumn
  readonly to: LaidColumn
}

export function diffColumns(context: DiffContext, tables: ComparedTables): ColumnsDiff {
  const { from, to, renamed } = tables
  const { both, gone, added } = matched(from.columns, to.columns)
  const inKey = keyColumns(from, to)
  const [retyped, nullability] = [new Set<string>(), new Set<string>()]
  const dropped = gone.filter(({ name }) => !inKey.has(folded(name)))
  const { early, late } = goneGenerated(context, dropped, both)
  const lingering = [...both.map((columns) => columns.from), ...late]
  for (const { from: before, to: model } of readersFirst(context, both)) {
    const after = withSameExpression(context, before, model)
    if (before.name !== after.name) refuseCase(context, to.name, before.name, after.name)
    if (isSameColumn(context, before, after)) continue
    const refusal = columnRefusal(context, { ...tables, lingering }, before, after)
    if (refusal) {
      context.refuse({ table: to.name, column: after.name, ...refusal })
      continue
    }
    if (isRetyped(context, before, after)) retyped.add(folded(after.name))
    if (isNotNull(before) !== isNotNull(after)) nullability.add(folded(after.name))
    context.change(isGenerated(after) ? 'alter-generated' : 'alter-columns', {
      kind: 'alter-column',
      table: to.name,
      from: defined(before),
      to: defined(after),
    })
  }
  const targets = new Set([...renamed.values()].map(folded))
  addColumns(
    context,
    tables,
    added.filter(({ name }) => !inKey.has(folded(name)) && !targets.has(folded(name))),
  )
  for (const { name } of early)
    context.change('drop-generated', { kind: 'drop-column', table: to.name, column: name })
  for (const { name } of late)
    context.change('drop-columns', { kind: 'drop-column', table: to.name, column: name })
  dropColumns(context, tables, dropped)
  return {
    retyped,
    nullability,
    gone: new Set(dropped.map(({ name }) => folded(name))),
    added: new Set(added.map(({ name }) => folded(name))),
    goneEarly: new Set(early.map(({ name }) => folded(name))),
  }
}

/** If the database has another wording for the same expression, its wording is kept: it compares expressions as text. */
function withSameExpression(context: DiffContext, before: LaidColumn, after: LaidColumn): LaidColumn {
  const [old, made] = [before.made, after.made]
  return old && made && old !== made && isSameMade(context, old, made) ? { ...after, made: old } : after
}

function isSameColumn(context: DiffContext, before: LaidColumn, after: LaidColumn): boolean {
  const { columnType, hidesColumns } = context.sql.ddlSyntax.alter
  return (
    columnType(before) === columnType(after) &&
    isNotNull(before) === isNotNull(after) &&
    before.made === after.made &&
    // Not every engine tells which columns it hides.
    (!hidesColumns || context.live || before.hidden === after.hidden)
  )
}

function refuseCase(context: DiffContext, table: string, from: string, to: string): void {
  context.refuse({
    kind: 'name',
    table,
    column: to,
    message: `is ${from} in the database: Isotherm does not distinguish names that differ only in case.`,
    fix: `Keep it, name: '${from}'.`,
  })
}

function addColumns(
  context: DiffContext,
  { from, to, renamed }: ComparedTables,
  added: readonly LaidColumn[],
): void {
  const table = to.name
  const generated = added.filter(isGenerated)
  for (const column of [
    ...added.filter((each) => !generated.includes(each)),
    ...sourcesFirst(context, generated),
  ]) {
    const { made, name } = column
    const hasValue = made?.by === 'default' || made?.by === 'sequence' || made?.by === 'identity'
    const isArray = isFixedArray(context, column)
    if (isNotNull(column) && !isGenerated(column) && (!hasValue || isArray)) {
      const replaced = oldNamesOf(column, from, to).filter((each) => !renamed.has(folded(each.from)))
      context.refuse({
        kind: 'not-null',
        table,
        column: name,
        message: isArray
          ? 'is a new array that is NOT NULL: an array can be that only from the beginning of its table.'
          : 'is new and NOT NULL, but has no default: existing rows would have no value.',
        fix: isArray ? 'Declare it nullable.' : stepsToNotNull(replaced),
      })
      continue
    }
    context.change(isGenerated(column) ? 'add-generated' : 'add-columns', {
      kind: 'add-column',
      table,
      column: defined(column),
    })
  }
}

/** How a column becomes NOT NULL in a table that has rows. */
function stepsToNotNull(replaced: readonly RenameCandidate[]): string {
  const fill =
    'give it a default; or add it as nullable, fill it in all rows, and remove nullable in a migration after that.'
  const [likeliest] = replaced
  if (!likeliest) return `Either ${fill}`
  const { table = '', from, to } = likeliest
  const names = replaced.map((each) => each.from).join(' or ')
  return `If it replaces ${names}, run \`isotherm generate --rename ${table}.${from}:${to}\`. Otherwise ${fill}`
}

/** Generated columns, each after those that it reads. */
function sourcesFirst({ lexicalSyntax }: DiffContext, generated: readonly LaidColumn[]): LaidColumn[] {
  const sorted = new Set<LaidColumn>()
  const add = (column: LaidColumn, underway: readonly LaidColumn[]): void => {
    if (underway.includes(column)) return
    for (const other of generated) {
      if (other !== column && mentions(expressionOf(column), other.name, lexicalSyntax))
        add(other, [...underway, column])
    }
    sorted.add(column)
  }
  for (const column of generated) add(column, [])
  return [...sorted]
}

/**
 * The columns that both schemas have: generated ones last, and among them readers before the columns that they read, since
 * a column cannot be redefined while another one reads it.
 */
function readersFirst(context: DiffContext, both: readonly ColumnPair[]): ColumnPair[] {
  const generated = new Map(both.filter(({ from }) => isGenerated(from)).map((pair) => [pair.from, pair]))
  const sorted = sourcesFirst(context, [...generated.keys()]).toReversed()
  return [
    ...both.filter(({ from }) => !isGenerated(from)),
    ...sorted.map((column) => present(generated.get(column), `column ${column.name}`)),
  ]
}

/**
 * Generated columns that are dropped, readers first. They are dropped early, since the columns that they read cannot change
 * before; except for those that other columns read until they are redefined.
 */
function goneGenerated(
  context: DiffContext,
  gone: readonly LaidColumn[],
  both: readonly ColumnPair[],
): { readonly early: readonly LaidColumn[]; readonly late: readonly LaidColumn[] } {
  const { lexicalSyntax } = context
  const [early, late]: [LaidColumn[], LaidColumn[]] = [[], []]
  for (const column of sourcesFirst(context, gone.filter(isGenerated)).toReversed()) {
    const readers = [...both.map(({ from }) => from), ...late]
    const isRead = readers.some((reader) => mentions(expressionOf(reader), column.name, lexicalSyntax))
    if (isRead) late.push(column)
    else early.push(column)
  }
  return { early, late }
}

function dropColumns(
  context: DiffContext,
  { from, to, renamed }: ComparedTables,
  gone: readonly LaidColumn[],
): void {
  for (const column of gone) {
    const { name } = column
    refuseOtherStorage(context, from, to, column)
    const reader =
      to.columns.find((each) => mentions(expressionOf(each), name, context.lexicalSyntax))?.name ??
      to.checks.find(({ expression }) => mentions(expression, name, context.lexicalSyntax))?.name
    if (reader !== undefined) {
      context.refuse({
        kind: 'in-use',
        table: to.name,
        column: name,
        message: `would be dropped, but ${reader} still reads it.`,
        fix: `Keep the column, or change ${reader} as well.`,
      })
    }
    if (isGenerated(column)) continue
    const renamedTo = renamed.get(folded(name))
    context.change('drop-columns', {
      kind: 'drop-column',
      table: to.name,
      column: name,
      // Copied values are not lost.
      ...(renamedTo === undefined ? { dataLoss: true } : { renamedTo }),
    })
  }
}

/** A UUID in one column, or in two, is still the same column of the model. */
function refuseOtherStorage(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  { name, of }: LaidColumn,
): void {
  const kept = to.columns.some((column) => sameName(column.of, of) && !sameName(column.name, name))
  const first = from.columns.find((column) => column.of === of)
  if (!kept || first?.name !== name) return
  context.refuse({
    kind: 'uuid-storage',
    table: to.name,
    column: of,
    message: 'would be stored differently, in other columns.',
    fix: 'Keep its storage; or add a column with the new one under another name, fill it, and drop this one after that.',
  })
}
