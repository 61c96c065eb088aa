import type { Made } from '../../dialects/layout.js'
import { describeType } from '../../model/column-type.js'
import { mentions } from '../expressions.js'
import { folded } from '../names.js'
import type { LaidColumn, PhysicalTable } from '../physical-schema.js'
import type { Refusal } from '../refusal.js'
import {
  expressionOf,
  isNotNull,
  isSameMade,
  keyColumns,
  kindOf,
  type ComparedColumns,
  type ComparedTables,
} from './column-facts.js'
import type { DiffContext } from './context.js'
import { RESHARD } from './key.js'

type ColumnRefusal = Pick<Refusal, 'kind' | 'message' | 'fix'>

const NEW_COLUMN = 'Add a column under another name, fill it, and drop this one in a migration after that.'

/**
 * Why a column cannot become another one in place; undefined where it can.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-updates#supported-updates
 */
export function columnRefusal(
  context: DiffContext,
  tables: ComparedColumns,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  return (
    keyRefusal(tables, before, after) ??
    madeRefusal(context, tables, before, after) ??
    typeRefusal(context, tables, before, after) ??
    nullRefusal(before, after) ??
    hiddenRefusal(context, before, after)
  )
}

function keyRefusal(
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
        'is a key column, and the database is to compute it in another way: the rows that are there would stay where they are.',
      fix: RESHARD,
    }
  }
  if (!sameType) {
    return {
      kind: 'column-type',
      message: `is a key column of type ${describeType(before.type)}, and is to be of type ${describeType(after.type)}.`,
      fix: RESHARD,
    }
  }
  if (isNotNull(before) !== isNotNull(after)) {
    return {
      kind: 'primary-key',
      message: `is a key column, and is to ${isNotNull(after) ? 'take no NULL any more' : 'take NULL'}.`,
      fix: RESHARD,
    }
  }
  const stamped = commits(before) !== commits(after)
  if (inherited.has(name) && !stamped) {
    return {
      kind: 'inherited-key',
      message:
        'is a key column that interleaved tables have too: neither its length nor its default can change.',
      fix: `Keep it as it is. ${RESHARD}`,
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
      message: `is ${old?.by === 'identity' ? 'an identity, and cannot cease to be one' : 'no identity, and cannot become one'}.`,
      fix: `Keep it${old?.by === 'identity' ? '' : ', or draw from a sequence'}. ${NEW_COLUMN}`,
    }
  }
  if (old?.by === 'identity' && isNotNull(before) !== isNotNull(after)) {
    return {
      kind: 'identity',
      message: `is an identity, which is ${isNotNull(before) ? 'NOT NULL' : 'nullable'} and stays that.`,
      fix: 'Keep it as it is.',
    }
  }
  if (commits(before) && !commits(after) && !context.sql.ddlSyntax.alter.revokesCommitTimestamp) {
    return {
      kind: 'commit-timestamp',
      message: 'takes commit timestamps, and cannot be told not to.',
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
  if (old.stored !== made.stored)
    return refused(`is ${old.stored ? '' : 'not '}stored, and cannot be made otherwise.`)
  const sameExpression = isSameMade(context, old, made)
  if (!sameExpression && old.stored) return refused('is stored, so that its expression cannot change.')
  if (!context.sql.ddlSyntax.alter.altersGenerated && after.shards !== undefined) {
    return {
      kind: 'generated-column',
      message: `shards the index ${after.shards}, and cannot be computed otherwise in this dialect.`,
      fix: 'Give the index another name: it is a new one then, with a shard of its own.',
    }
  }
  if (!context.sql.ddlSyntax.alter.altersGenerated)
    return refused('is generated, and cannot be defined otherwise in this dialect.')
  const reader = to.columns.find(
    (column) => column !== after && mentions(expressionOf(column), after.name, context.sql.name),
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
  { to, lingering }: ComparedColumns,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  const [old, now] = [before.type, after.type]
  if (kindOf(before) === kindOf(after)) return undefined
  const [stored, wanted] = [uuidStorage(before), uuidStorage(after)]
  if (stored !== undefined && wanted !== undefined && (old.kind === 'uuid' || now.kind === 'uuid')) {
    return {
      kind: 'uuid-storage',
      message: `is a UUID stored as ${stored}, and is to be stored as ${wanted}.`,
      fix: `Keep its storage. ${NEW_COLUMN}`,
    }
  }
  if (!isTextOrBytes(before) || !isTextOrBytes(after)) {
    return {
      kind: 'column-type',
      message: `is of type ${describeType(old)}, and is to be of type ${describeType(now)}.`,
      fix: NEW_COLUMN,
    }
  }
  const reader = [...to.columns, ...lingering].find((column) =>
    mentions(expressionOf(column), after.name, context.sql.name),
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

/** How a column stores a UUID, if it is one, or may be. */
function uuidStorage({ type }: LaidColumn): string | undefined {
  if (type.kind === 'uuid') return type.storage ?? 'text'
  return type.kind === 'bytes' ? 'bytes' : undefined
}

/** The two types that may become each other; not the text of a UUID, which is no other storage of its bytes. */
function isTextOrBytes({ type }: LaidColumn): boolean {
  return type.kind === 'string' || type.kind === 'bytes'
}

function nullRefusal(before: LaidColumn, after: LaidColumn): ColumnRefusal | undefined {
  if (isNotNull(before) || !isNotNull(after) || after.type.kind !== 'array') return undefined
  return {
    kind: 'not-null',
    message: 'is an array, which can be NOT NULL only from the beginning of its table.',
    fix: 'Let it be nullable.',
  }
}

function hiddenRefusal(
  { sql, live }: DiffContext,
  before: LaidColumn,
  after: LaidColumn,
): ColumnRefusal | undefined {
  if (live || !sql.ddlSyntax.alter.hidesColumns || before.hidden === after.hidden) return undefined
  return {
    kind: 'hidden',
    message: `is ${before.hidden ? '' : 'not '}hidden, and stays that.`,
    fix: `Keep hidden as it is. ${NEW_COLUMN}`,
  }
}

function isGenerated({ made }: { readonly made?: Made }): boolean {
  return made?.by === 'generated'
}

function commits({ made }: LaidColumn): boolean {
  return made?.by === 'commit-timestamp'
}
