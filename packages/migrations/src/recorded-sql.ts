import { type LexicalSyntax, isName, tokenize } from '@isotherm/core/engine'
import type { RecordedSql } from '@isotherm/core/tools'
import { folded, sameTokens } from './names.js'
import type { LaidColumn, PhysicalSchema, PhysicalTable } from './physical-schema.js'

// PostgreSQL returns an expression as it has parsed it: with more parentheses, with casts, `IN` as an array. Only the
// database knows whether two texts mean the same. So both are recorded when a change is made: the model's text, and the
// catalogue's.

/** Gives an expression or a query another wording. */
type Reword = (object: string, text: string) => string

/** The same schema in other words. What keeps its words is the same object. */
function reworded(schema: PhysicalSchema, reword: Reword): PhysicalSchema {
  return {
    ...schema,
    tables: schema.tables.map((table) => rewordedTable(table, reword)),
    views: each(schema.views, (view) => `view ${view.name}`, 'query', reword),
    opaque: each(schema.opaque, ({ name }) => `statement ${name}`, 'compared', reword),
  }
}

function rewordedTable(table: PhysicalTable, reword: Reword): PhysicalTable {
  const of = (kind: string) => (thing: { readonly name: string }) => `${kind} ${table.name}.${thing.name}`
  const columns = table.columns.map((column) => rewordedColumn(column, of, reword))
  const checks = each(table.checks, of('check'), 'expression', reword)
  const opaqueColumns = each(table.opaqueColumns, of('column'), 'definition', reword)
  const isSame =
    columns.every((column, at) => column === table.columns[at]) &&
    checks === table.checks &&
    opaqueColumns === table.opaqueColumns
  return isSame ? table : { ...table, columns, checks, opaqueColumns }
}

function rewordedColumn(
  column: LaidColumn,
  of: (kind: string) => (thing: LaidColumn) => string,
  reword: Reword,
): LaidColumn {
  const { made } = column
  if (made?.by !== 'default' && made?.by !== 'generated') return column
  const expression = reword(of(made.by)(column), made.expression)
  return expression === made.expression ? column : { ...column, made: { ...made, expression } }
}

function each<Key extends string, T extends { readonly [K in Key]: string }>(
  things: readonly T[],
  objectOf: (thing: T) => string,
  key: Key,
  reword: Reword,
): readonly T[] {
  const changed = things.map((thing): T => {
    const text = reword(objectOf(thing), thing[key])
    return text === thing[key] ? thing : { ...thing, [key]: text }
  })
  return changed.every((thing, at) => thing === things[at]) ? things : changed
}

/** All expressions and queries of a schema, by the objects that they belong to, folded. */
export function sqlTexts(schema: PhysicalSchema): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  reworded(schema, (object, text) => {
    texts.set(folded(object), text)
    return text
  })
  return texts
}

/**
 * A live schema in the wording of the models that made it, as far as that is recorded and has not changed since.
 *
 * @param to the schema for the comparison, whose own wording stays: after `pull`, models have that of the catalogue
 */
export function inWordsOfModels(
  live: PhysicalSchema,
  to: PhysicalSchema,
  recorded: readonly RecordedSql[],
  lexicalSyntax: LexicalSyntax,
): PhysicalSchema {
  if (recorded.length === 0) return live
  const same = sameTokens(lexicalSyntax)
  const [known, wanted] = [byObject(recorded), sqlTexts(to)]
  return reworded(live, (object, text) => {
    const record = known.get(folded(object))
    if (!record || !same(record.catalogue, text)) return text
    const target = wanted.get(folded(object))
    return target !== undefined && same(target, text) ? text : record.model
  })
}

function byObject(recorded: readonly RecordedSql[]): ReadonlyMap<string, RecordedSql> {
  return new Map(recorded.map((each) => [folded(each.object), each]))
}

/** Statements that change a schema. */
export interface RanStatements {
  /** The statements that have just run. */
  readonly now: readonly string[]
  /** The statements that ran before. Absent: they are not known, and the database is assumed to match the model. */
  readonly before?: readonly string[]
}

/**
 * The records to write once a live schema has been changed to match a model.
 *
 * An existing record is replaced only if a statement has just made the object: otherwise a change that was made by hand
 * since would no longer be found. And only objects that a statement makes are recorded: a migration may have been edited,
 * while its snapshot still contains what was removed.
 */
export function newRecords(
  model: PhysicalSchema,
  live: PhysicalSchema,
  recorded: readonly RecordedSql[],
  { lexicalSyntax, ran }: { readonly lexicalSyntax: LexicalSyntax; readonly ran: RanStatements },
): { readonly write: readonly RecordedSql[]; readonly remove: readonly string[] } {
  const same = sameTokens(lexicalSyntax)
  const known = byObject(recorded)
  const [said, made] = [sqlTexts(model), sqlTexts(live)]
  const [now, before] = [
    new Statements(ran.now, lexicalSyntax),
    ran.before && new Statements(ran.before, lexicalSyntax),
  ]
  const write = [...said].flatMap(([object, text]): RecordedSql[] => {
    const catalogue = made.get(object)
    if (catalogue === undefined) return []
    const old = known.get(object)
    if (old && same(old.model, text) && same(old.catalogue, catalogue)) return []
    const isMade =
      now.make(object, text) || (!(old && same(old.model, text)) && (before?.make(object, text) ?? true))
    return isMade ? [{ object, model: text, catalogue }] : []
  })
  const remove = recorded.flatMap(({ object }) => (made.has(folded(object)) ? [] : [object]))
  return { write, remove }
}

/** Statements in which the text of an object can be looked for. */
class Statements {
  readonly #statements: readonly { readonly tokens: string; readonly names: string }[]
  readonly #lexicalSyntax: LexicalSyntax

  constructor(statements: readonly string[], lexicalSyntax: LexicalSyntax) {
    this.#statements = statements.map((statement) => {
      const tokens = tokenText(statement, lexicalSyntax)
      return { tokens, names: folded(tokens) }
    })
    this.#lexicalSyntax = lexicalSyntax
  }

  /** Whether one of them names the object and has the text. */
  make(object: string, text: string): boolean {
    const [kind, ...rest] = object.split(' ')
    // A statement that no schema models is compared without its name.
    const name = kind === 'statement' ? undefined : rest.join(' ').split('.').at(-1)
    const [mark, made] = [name === undefined ? '' : mentionOf(name), tokenText(text, this.#lexicalSyntax)]
    return this.#statements.some(({ tokens, names }) => tokens.includes(made) && names.includes(mark))
  }
}

function mentionOf(name: string): string {
  return folded(`\tname:${name}\t`)
}

/** The tokens of a text with marks between them, so that one text can be looked for in another. */
function tokenText(sql: string, lexicalSyntax: LexicalSyntax): string {
  return tokenize(sql, lexicalSyntax)
    .map((token) => `\t${isName(token) ? 'name' : token.kind}:${token.text}\t`)
    .join('')
}
