import type { Schema } from '@isotherm/core/engine'
import {
  type LaidOut,
  type SchemaDiff,
  type SchemaDiffOptions,
  type SchemaDiffer,
  type SqlDialect,
  sameData,
} from '@isotherm/core/tools'
import { physicalSchema } from '../physical-schema.js'
import { inWordsOfModels } from '../recorded-sql.js'
import { batchLength, sqlStatements } from './statements.js'
import { DiffContext } from './context.js'
import { refuseTakenNames } from './names-in-use.js'
import { diffChangeStreams, diffNamespaces, diffSequences } from './objects.js'
import { diffOpaque } from './opaque.js'
import { renameColumns, renameTables, sqlRenameCandidates } from './renames.js'
import { diffTables } from './tables.js'
import { diffViews } from './views.js'

/** How schemas of a dialect of SQL are compared, by the syntax of its DDL. */
export function sqlDiffer(dialect: SqlDialect): SchemaDiffer {
  return {
    layOut: (schema, like) => layOut(schema, dialect, like),
    diff: (from, to, options) => diff(from, to, dialect, options),
    statements: (changes, to) => sqlStatements(changes, to, dialect),
    renameCandidates: (from, to) =>
      sqlRenameCandidates(physicalSchema(from, dialect), physicalSchema(to, dialect)),
    batchLength: (statements) => batchLength(statements, dialect),
  }
}

function layOut(schema: Schema, dialect: SqlDialect, like?: LaidOut): LaidOut {
  const known = new Map((like?.layouts ?? []).map((layout) => [layout.table.name, layout]))
  const layouts = schema.tables.map((table) => {
    const layout = known.get(table.name)
    return layout && sameData(layout.table, table) ? layout : dialect.layout(table, schema)
  })
  return { schema, layouts }
}

function diff(
  before: LaidOut,
  after: LaidOut,
  dialect: SqlDialect,
  { renames, live, recorded = [] }: SchemaDiffOptions,
): SchemaDiff {
  const context = new DiffContext(dialect, live)
  const to = physicalSchema(after, dialect)
  const original = physicalSchema(before, dialect, { laidOut: after, physical: to })
  const old = inWordsOfModels(original, to, recorded, dialect.lexicalSyntax)
  const { schema: from, renamed } = renameTables(context, old, to, renames)
  const tables = diffTables(context, from, to, renameColumns(context, from, to, renames))
  diffOpaque(context, from, to)
  diffNamespaces(context, from, to)
  diffSequences(context, from, to)
  diffChangeStreams(context, from, to)
  diffViews(context, from, to, { ...tables, renamed })
  refuseTakenNames(context, old, to)
  return { changes: context.changes, refusals: context.refusals }
}
