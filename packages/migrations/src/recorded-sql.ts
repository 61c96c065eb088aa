import type { Lexicon } from '@isotherm/core/engine'
import type { RecordedSql } from '@isotherm/core/tools'
import { folded, sameTokens } from './names.js'
import type { LaidColumn, PhysicalSchema, PhysicalTable } from './physical-schema.js'

// PostgreSQL gives an expression back as it has read it: with more parentheses, with casts, `IN` as an array. Whether two texts
// say the same only the database knows. So both are recorded when a change is made: what the model says, and what the catalogue
// has made of it.

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

/** All expressions and queries of a schema, by what they belong to. */
export function sqlTexts(schema: PhysicalSchema): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  reworded(schema, (object, text) => {
    texts.set(keyOf(object), text)
    return text
  })
  return texts
}

/** Upper and lower case are the same in the names of what a database has. */
function keyOf(object: string): string {
  return folded(object)
}

/** A live schema in the words of the models that made it, as far as they are recorded and it has not changed since. */
export function inWordsOfModels(
  live: PhysicalSchema,
  recorded: readonly RecordedSql[],
  lexicon: Lexicon,
): PhysicalSchema {
  const same = sameTokens(lexicon)
  const known = new Map(recorded.map((each) => [keyOf(each.object), each]))
  return reworded(live, (object, text) => {
    const record = known.get(keyOf(object))
    return record && same(record.catalogue, text) ? record.model : text
  })
}

/**
 * What to record once a live schema has been made as a model says.
 *
 * What was recorded before, and what the model still says as it did then, is not recorded anew: a change that was made by hand since
 * would not be seen any more.
 */
export function newRecords(
  model: PhysicalSchema,
  live: PhysicalSchema,
  recorded: readonly RecordedSql[],
  lexicon: Lexicon,
): { readonly write: readonly RecordedSql[]; readonly remove: readonly string[] } {
  const same = sameTokens(lexicon)
  const known = new Map(recorded.map((each) => [keyOf(each.object), each]))
  const [said, made] = [sqlTexts(model), sqlTexts(live)]
  const write = [...said].flatMap(([object, text]): RecordedSql[] => {
    const catalogue = made.get(object)
    if (catalogue === undefined) return []
    const before = known.get(object)
    const isKnown = before ? same(before.model, text) : same(catalogue, text)
    return isKnown ? [] : [{ object, model: text, catalogue }]
  })
  const remove = recorded.flatMap(({ object }) => (made.has(keyOf(object)) ? [] : [object]))
  return { write, remove }
}
