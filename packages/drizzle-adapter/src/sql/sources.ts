import { IsothermError } from '@isotherm/core'
import { Column, Name, SQL, type SQLChunk, StringChunk, Subquery, Table, View, is } from 'drizzle-orm'
import { checkedCondition } from './condition.js'
import {
  columnsOf,
  isAlias,
  nameOf,
  originalNameOf,
  originalOf,
  schemaOf,
  viewConfigOf,
} from '../drizzle-internals.js'

// Finds the source of a column among the sources around it, and the source's name in the text. In a subquery, a name means
// a table that the subquery itself reads, if it reads one with this name: for example two tables with the same name in two
// schemas. So a source that would hide another one around it gets a name of its own.

/** The sources that a query can read from. */
export type Source = Table | Subquery | View | SQL

/** The name of a source in the query; undefined for plain SQL. */
export function sourceName(source: Source): string | undefined {
  if (is(source, Subquery)) return source._.alias
  if (is(source, View)) return viewConfigOf(source).name
  return is(source, SQL) ? undefined : nameOf(source)
}

const NONE: ReadonlyMap<string, string> = new Map()

/** SQL that says which sources the columns in it can be of. */
export class ScopedSql extends SQL {
  constructor(
    chunks: SQLChunk[],
    readonly sources: readonly Source[],
    /** The names that some sources have in the text, by the names that the author of the statement uses. */
    readonly renamed: ReadonlyMap<string, string> = NONE,
  ) {
    super(chunks)
  }
}

const DOT = new StringChunk('.')
const SPACE = new StringChunk(' ')

/**
 * A source at the position where the statement names it: in FROM, in a join, or as the written table. The renderer gives it
 * its name.
 */
export class FromSource extends SQL {
  constructor(
    readonly source: Source,
    readonly hint?: string,
    /** Whether a name follows in any case. */
    readonly isNamed = false,
  ) {
    super(fromChunks(source, hint, isNamed))
  }
}

/** As Drizzle itself would have it in the text, which is what DDL is made with. */
function fromChunks(source: Source, hint: string | undefined, isNamed: boolean): SQLChunk[] {
  const qualified = qualifiedNameOf(source)
  if (!qualified) return [source as SQLChunk]
  const { schema, original, name } = qualified
  return [
    ...(schema === undefined ? [] : [new Name(schema), DOT]),
    new Name(original),
    ...(hint === undefined ? [] : [new StringChunk(hint)]),
    ...(isNamed || name !== original ? [SPACE, new Name(name)] : []),
  ]
}

/** The schema and the name of a table or a view; undefined for other sources. */
export function qualifiedNameOf(source: Source):
  | {
      readonly schema: string | undefined
      readonly original: string
      readonly name: string
      readonly isAlias: boolean
    }
  | undefined {
  if (is(source, Table))
    return {
      schema: schemaOf(source),
      original: originalNameOf(source),
      name: nameOf(source),
      isAlias: isAlias(source),
    }
  if (!is(source, View)) return undefined
  const { schema, originalName, name, isAlias: isNamed } = viewConfigOf(source)
  return { schema, original: originalName, name, isAlias: isNamed }
}

/** The name of a source alone. */
export class SourceLabel extends SQL {
  constructor(
    readonly source: Source,
    readonly label: string,
  ) {
    super([new Name(label)])
  }
}

/** Thrown where the name of a source means a column of a query within: no source of the statement can have it. */
export class NameHidden extends Error {
  override readonly name = 'NameHidden'

  constructor(readonly text: string) {
    super(`The name ${text} is already the name of a column where it is used.`)
  }
}

/** Counts the rows. @param count the selected expression */
export function countSql(source: Source, filters: SQL | undefined, count = 'count(*)'): SQL {
  const condition = checkedCondition('where', filters)
  const chunks = [new StringChunk(`select ${count} from `), new FromSource(source)]
  return new ScopedSql(condition ? [...chunks, new StringChunk(' where '), condition] : chunks, [source])
}

/** The ORDER BY of a set operation uses only the names of columns, since their tables are out of scope. */
export function withoutTables(chunk: SQLChunk, columnName: (column: Column) => string): SQLChunk {
  if (is(chunk, Column)) return new Name(columnName(chunk))
  if (is(chunk, SQL.Aliased)) return new Name(chunk.fieldAlias)
  if (!is(chunk, SQL)) return chunk
  return new SQL(chunk.queryChunks.map((each) => withoutTables(each, columnName)))
}

interface NamedSource {
  readonly source: Source
  /** Its name in the author's statement. */
  readonly name: string
  /** Its name in the text. */
  readonly text: string
  /** Whether the text gives it a name that it has not from itself. */
  readonly isRenamed: boolean
}

/** The sources around the current position, and their names in the text. */
export class SourceNames {
  /** The outermost first. */
  #scopes: (readonly NamedSource[])[] = []
  /** Names in lower case that no source is given. */
  readonly #avoided = new Set<string>()
  readonly #columnHides: ((source: Source, name: string) => boolean) | undefined

  /** @param columnHides whether a source has a column of a name, in a dialect where that hides the sources around */
  constructor(columnHides?: (source: Source, name: string) => boolean) {
    this.#columnHides = columnHides
  }

  /** For the statement to be written once more, without a name that something hides. */
  avoid({ text }: NameHidden): void {
    this.#avoided.add(text.toLowerCase())
    this.#scopes = []
  }

  /** How many statements are around, one within the other. */
  get depth(): number {
    return this.#scopes.length
  }

  /** The sources around, the nearest first. */
  *around(): Generator<readonly Source[]> {
    for (const scope of this.#scopes.toReversed()) yield scope.map(({ source }) => source)
  }

  enter({ sources, renamed }: ScopedSql): void {
    const [only, ...others] = sources
    // A statement over one table has no other table with the same name.
    if (only && others.length + this.#scopes.length + renamed.size + this.#avoided.size === 0) {
      const name = sourceName(only)
      this.#scopes.push(name === undefined ? [] : [{ source: only, name, text: name, isRenamed: false }])
      return
    }
    const outer = this.#scopes.flat()
    const names = sources.flatMap((source) => {
      const name = sourceName(source)
      return name === undefined ? [] : [{ source, name, wanted: renamed.get(name) ?? name }]
    })
    const taken = new Set(
      [
        ...outer.map(({ text }) => text),
        ...names.flatMap(({ name, wanted }) => [name, wanted]),
        ...this.#avoided,
      ].map((each) => each.toLowerCase()),
    )
    // A table of a relational query has two names: its own, and the one that its callbacks use.
    const aliases = new Map<string, string>()
    const scope = names.map(({ source, name, wanted }): NamedSource => {
      const hidesAnother = outer.some(
        (each) => isSameName(each.text, wanted) && !isSameSource(each.source, source),
      )
      const isFree = !hidesAnother && !this.#avoided.has(wanted.toLowerCase())
      const text = aliases.get(wanted) ?? (isFree ? wanted : freeName(wanted, taken))
      aliases.set(wanted, text)
      return { source, name, text, isRenamed: text !== name || renamed.has(name) }
    })
    this.#scopes.push(scope)
  }

  leave(): void {
    this.#scopes.pop()
  }

  /** The name of a source of the innermost statement in the text. */
  textOf(source: Source): string | undefined {
    return this.#scopes.at(-1)?.find((each) => each.source === source)?.text
  }

  /**
   * The name of a column's table in the text, if it differs from the table's own name.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a column whose table's name means another table at this position, or
   * several.
   */
  ofColumn(column: Column): string | undefined {
    const called = nameOf(column.table)
    const [scope = []] = this.#scopes
    const [only] = scope
    if (this.#scopes.length === 1 && scope.length === 1 && only?.source === column.table && !only.isRenamed)
      return undefined
    const named = this.#named(called)
    const own = named.filter(({ source }) => isOf(source, column.table))
    const [nearest, ...others] = own.length < 2 ? own : own.filter(({ source }) => mayHold(source, column))
    if (others.length > 0) throw ambiguous(column, called)
    if (nearest) {
      this.#refuseHidden(nearest)
      return nearest.isRenamed ? nearest.text : undefined
    }
    const [other] = named
    if (other && !(is(other.source, Subquery) && mayHold(other.source, column)))
      throw captured(column, called)
    return undefined
  }

  /** The name of a field's subquery in the text. @param field as the subquery offers it */
  ofField(subquery: string, field: unknown): string {
    const named = this.#named(subquery).filter(({ source }) => is(source, Subquery))
    const [nearest] =
      named.length < 2 ? named : named.filter(({ source }) => hasField(source as Subquery, field))
    if (nearest) this.#refuseHidden(nearest)
    return nearest?.text ?? subquery
  }

  /** @throws {NameHidden} */
  #refuseHidden(found: NamedSource): void {
    if (!this.#columnHides) return
    for (const scope of this.#scopes.toReversed()) {
      if (scope.includes(found)) return
      if (scope.some(({ source }) => this.#columnHides?.(source, found.text)))
        throw new NameHidden(found.text)
    }
  }

  /** All that are called so, each once, the nearest first. */
  #named(name: string): NamedSource[] {
    const found: NamedSource[] = []
    for (const scope of this.#scopes.toReversed()) {
      for (const each of scope) {
        if (each.name === name && !found.some(({ source }) => isSameSource(source, each.source)))
          found.push(each)
      }
    }
    return found
  }
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function isSameSource(one: Source, other: Source): boolean {
  if (one === other) return true
  const [first, second] = [qualifiedNameOf(one), qualifiedNameOf(other)]
  return (
    first !== undefined &&
    second !== undefined &&
    is(one, View) === is(other, View) &&
    first.isAlias === second.isAlias &&
    first.schema === second.schema &&
    first.original === second.original &&
    first.name === second.name
  )
}

/** Whether a column's table is this source: those of a subquery or a view say the name of that. */
function isOf(source: Source, table: Table): boolean {
  if (!is(source, Table)) return isAlias(table) || is(source, View)
  return (
    isAlias(source) === isAlias(table) &&
    originalNameOf(source) === originalNameOf(table) &&
    schemaOf(source) === schemaOf(table)
  )
}

/** Whether a subquery can offer a column: whether it selects one of that name, of the same table. */
function mayHold(source: Source, column: Column): boolean {
  if (!is(source, Subquery)) return true
  const table = originalOf(column.table)
  return someField(source._.selectedFields, (field) => {
    return is(field, Column) && field.name === column.name && originalOf(field.table) === table
  })
}

function hasField({ _: { selectedFields } }: Subquery, wanted: unknown): boolean {
  return someField(selectedFields, (field) => field === wanted)
}

function someField(fields: object, test: (field: unknown) => boolean): boolean {
  return Object.values(fields).some(
    (field: unknown) => test(field) || (isFields(field) && someField(field, test)),
  )
}

/** Fields by name, within fields. */
export function isFields(field: unknown): field is object {
  return typeof field === 'object' && field !== null && Object.getPrototypeOf(field) === Object.prototype
}

/** Whether a source offers a column of this name, in whichever case. */
export function hasColumnNamed(
  source: Source,
  name: string,
  columnName: (column: Column) => string,
): boolean {
  const isNamed = (field: unknown): boolean => {
    if (is(field, Column)) return isSameName(columnName(field), name)
    return is(field, SQL.Aliased) && isSameName(field.fieldAlias, name)
  }
  if (is(source, Table)) return Object.values(columnsOf(source)).some(isNamed)
  if (is(source, View)) return someField(viewConfigOf(source).selectedFields, isNamed)
  return is(source, Subquery) && someField(source._.selectedFields, isNamed)
}

/** A name that nothing has yet, and which is taken from now on. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name
  do free += '_'
  while (taken.has(free.toLowerCase()))
  taken.add(free.toLowerCase())
  return free
}

function captured({ name }: Column, called: string): IsothermError {
  return new IsothermError(
    'INVALID_QUERY',
    `The column ${name} of ${called} would be read from another ${called} in the query.`,
    { fix: `Give one of them another name: alias(table, '${called}2').` },
  )
}

function ambiguous({ name }: Column, called: string): IsothermError {
  return new IsothermError(
    'INVALID_QUERY',
    `The column ${name} is ambiguous: the query and an outer query both have a ${called}.`,
    { fix: `Give one of them another name: .as('${called}2').` },
  )
}
