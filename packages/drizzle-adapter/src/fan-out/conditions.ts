import { IsothermError } from '@isotherm/core'
import { EXPRESSION, known, shown } from '@isotherm/core/adapter'
import { Column, is, type SQL } from 'drizzle-orm'
import { needsDatabase, refusedText, toCore } from '../keys/column-values.js'
import type { FanOutSource } from './source.js'
import { tokensOf, type Token } from '../sql/tokens.js'

/** A filter as Isotherm's `where` takes it. */
export type Filter = Readonly<Record<string, unknown>>

export interface Order {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '=': 'eq',
  '<>': 'ne',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
}

/** The same comparison with its sides changed. */
const TURNED: ReadonlyMap<string, string> = new Map([
  ['eq', 'eq'],
  ['ne', 'ne'],
  ['lt', 'gt'],
  ['lte', 'gte'],
  ['gt', 'lt'],
  ['gte', 'lte'],
])

const NOTHING: Filter = { OR: [] }
/** A filter takes it as a whole only: within another one, an empty filter is mostly a mistake. */
const EVERYTHING: Filter = {}
/** Deeper conditions come from a mistake or an attack. */
const MAX_LEVELS = 100

/**
 * A Drizzle condition as a filter. Drizzle takes a boolean column for one, too.
 *
 * @throws {IsothermError} `UNSUPPORTED_QUERY` for a condition that a filter cannot express: it is never left out.
 */
export function filterOf(condition: SQL | Column, source: FanOutSource): Filter {
  return new ConditionReader(tokensOf(condition), source).whole()
}

/** @throws {IsothermError} `UNSUPPORTED_QUERY` for an expression, and for NULLs in another order than the database's own. */
export function orderOf(term: unknown, source: FanOutSource): Order {
  const tokens = tokensOf(is(term, Column) ? term : (term as { getSQL(): SQL }).getSQL())
  const [first, second, ...others] = tokens
  const direction = second === undefined ? 'asc' : second.kind === 'word' ? second.text : ''
  if (first?.kind === 'column' && others.length === 0 && (direction === 'asc' || direction === 'desc'))
    return { property: source.propertyOf(first.column), direction }
  throw new IsothermError(
    'UNSUPPORTED_QUERY',
    `A fan-out over ${source.name} cannot order by an expression.`,
    {
      fix: 'Order by its columns, with asc or desc: shards are merged by values of the rows.',
      table: source.name,
    },
  )
}

/** Reads a condition by the precedence that SQL has: OR, AND, NOT, comparisons. */
class ConditionReader {
  readonly #tokens: readonly Token[]
  readonly #source: FanOutSource
  #at = 0
  #level = 0

  constructor(tokens: readonly Token[], source: FanOutSource) {
    this.#tokens = tokens
    this.#source = source
  }

  whole(): Filter {
    const filter = this.#or()
    if (this.#at < this.#tokens.length) throw this.#unknown()
    return filter
  }

  #or(): Filter {
    const of = [this.#and()]
    while (this.#takes('or')) of.push(this.#and())
    if (of.includes(EVERYTHING)) return EVERYTHING
    const [only = EVERYTHING, ...others] = of
    return others.length === 0 ? only : { OR: of }
  }

  #and(): Filter {
    const of = [this.#not()]
    while (this.#takes('and')) of.push(this.#not())
    const said = of.filter((each) => each !== EVERYTHING)
    const [only = EVERYTHING, ...others] = said
    return others.length === 0 ? only : { AND: said }
  }

  #not(): Filter {
    if (!this.#takes('not')) return this.#predicate()
    const inner = this.#deeper(() => this.#not())
    return inner === EVERYTHING ? NOTHING : { NOT: inner }
  }

  #predicate(): Filter {
    if (this.#takes('(')) {
      const inner = this.#deeper(() => this.#or())
      this.#expect(')')
      return inner
    }
    if (this.#takes('true')) return EVERYTHING
    if (this.#takes('false')) return NOTHING
    const token = this.#tokens[this.#at]
    if (token?.kind === 'column') {
      this.#at++
      return this.#about(token.column)
    }
    if (token?.kind === 'value') return this.#turned()
    throw this.#unknown()
  }

  #deeper(read: () => Filter): Filter {
    if (this.#level === MAX_LEVELS) {
      throw this.#refusal(
        `has a condition of more than ${MAX_LEVELS} levels`,
        'Nest fewer conditions: and(…) and or(…) take any number.',
      )
    }
    this.#level++
    const filter = read()
    this.#level--
    return filter
  }

  /** The operator after a column. */
  #about(column: Column): Filter {
    const property = this.#source.propertyOf(column)
    const comparison = this.#comparison()
    if (comparison) return { [property]: { [comparison]: this.#value(column) } }
    if (this.#takes('is')) {
      const isNot = this.#takes('not')
      this.#expect('null')
      return isNot ? { [property]: { ne: null } } : { [property]: null }
    }
    const negated = this.#takes('not')
    const filter = this.#wordsAbout(column, property)
    if (filter) return negated ? { NOT: filter } : filter
    if (negated || !this.#isAtEnd()) throw this.#unknown()
    if (this.#source.isBool(column)) return { [property]: { eq: true } }
    throw this.#refusal(
      `has ${column.name}, which is not boolean, as a condition`,
      'Compare the column with a value: eq(column, value).',
    )
  }

  #wordsAbout(column: Column, property: string): Filter | undefined {
    if (this.#takes('in')) return { [property]: { in: this.#list(column) } }
    if (this.#takes('between')) {
      const gte = this.#value(column)
      this.#expect('and')
      return { [property]: { gte, lte: this.#value(column) } }
    }
    return this.#takes('like') ? { [property]: this.#pattern(property) } : undefined
  }

  /** `value < column` */
  #turned(): Filter {
    const before = this.#at++
    const comparison = this.#comparison()
    const token = this.#tokens[this.#at]
    if (!comparison || token?.kind !== 'column') {
      this.#at = before
      throw this.#unknown()
    }
    const after = this.#at + 1
    this.#at = before
    const value = this.#value(token.column)
    this.#at = after
    return { [this.#source.propertyOf(token.column)]: { [known(TURNED, comparison)]: value } }
  }

  #comparison(): string | undefined {
    const token = this.#tokens[this.#at]
    const comparison = token?.kind === 'word' ? COMPARISONS[token.text] : undefined
    if (comparison !== undefined) this.#at++
    return comparison
  }

  #list(column: Column): unknown[] {
    this.#expect('(')
    const values: unknown[] = []
    if (this.#takes(')')) return values
    do values.push(this.#value(column))
    while (this.#takes(','))
    this.#expect(')')
    return values
  }

  #value(column: Column): unknown {
    const token = this.#tokens[this.#at]
    if (token?.kind === 'column') {
      throw this.#refusal(
        `compares ${column.name} with the column ${token.column.name}`,
        'Compare a column with a value: only that tells which shards and keys to read.',
      )
    }
    if (token?.kind !== 'value') throw this.#unknown()
    const { value, encoder } = token
    if (value === null || value === undefined) {
      throw this.#refusal(
        `compares ${column.name} with ${String(value)}, which matches no row`,
        'Use isNull(column) or isNotNull(column), or leave the condition out.',
      )
    }
    const coreValue = encoder ? toCore(encoder, value) : value
    if (coreValue === EXPRESSION && is(encoder, Column) && needsDatabase(encoder, value))
      throw refusedText(encoder, value, 'a fan-out compares timestamps on the client')
    if (coreValue === EXPRESSION) throw this.#unknown()
    if (column.columnType === 'PgUUID') this.#refuseCapitals(column, coreValue)
    this.#at++
    return coreValue
  }

  /** Drizzle stores such a UUID as text, as it is given; shards and key ranges are computed of lower case. */
  #refuseCapitals({ name }: Column, value: unknown): void {
    if (typeof value !== 'string' || value === value.toLowerCase()) return
    throw this.#refusal(
      `compares ${name} with a UUID in capitals, ${shown(value)}`,
      'Store and look for UUIDs in lower case. The select itself finds rows that were stored in capitals.',
    )
  }

  /** `'x%'` is a prefix, and `'x'` the value itself. */
  #pattern(property: string): Filter {
    const token = this.#tokens[this.#at]
    const pattern = token?.kind === 'value' ? token.value : undefined
    if (typeof pattern !== 'string') throw this.#unknown()
    const found = /^((?:[^\\%_]|\\[\s\S])*)(%*)$/u.exec(pattern)
    if (!found) {
      throw this.#refusal(
        `compares ${property} with the pattern ${JSON.stringify(pattern)}`,
        "It takes prefixes: like(column, 'x%'). Filter the rows by the rest of the pattern.",
      )
    }
    this.#at++
    const [, prefix = '', wildcards] = found
    const text = prefix.replaceAll(/\\([\s\S])/gu, '$1')
    return wildcards === '' ? { eq: text } : { startsWith: text }
  }

  #isAtEnd(): boolean {
    const token = this.#tokens[this.#at]
    return token === undefined || (token.kind === 'word' && ['and', 'or', ')'].includes(token.text))
  }

  #takes(word: string): boolean {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word' || token.text !== word) return false
    this.#at++
    return true
  }

  #expect(word: string): void {
    if (!this.#takes(word)) throw this.#unknown()
  }

  #unknown(): IsothermError {
    const token = this.#tokens[this.#at]
    if (token?.kind === 'other' && token.name.startsWith('the placeholder')) {
      return this.#refusal(
        `has ${token.name} in its condition`,
        'Give the value itself: the plan depends on it.',
      )
    }
    return this.#refusal(
      `cannot use ${described(token)} in its condition`,
      "It takes eq, ne, gt, gte, lt, lte, between, inArray, isNull, like(column, prefix), and, or, not, and their negations, of the table's columns and values. Run the select itself, or filter the rows.",
    )
  }

  #refusal(what: string, fix: string): IsothermError {
    const { name } = this.#source
    return new IsothermError('UNSUPPORTED_QUERY', `A fan-out over ${name} ${what}.`, { fix, table: name })
  }
}

function described(token: Token | undefined): string {
  switch (token?.kind) {
    case undefined:
      return 'a condition that ends too early'
    case 'word':
      return JSON.stringify(token.text)
    case 'column':
      return `an expression with ${token.column.name}`
    case 'value':
      return 'an expression with a value'
    case 'other':
      return token.name
  }
}
