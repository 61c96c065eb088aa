import { type LexicalSyntax, type Token, isName, tokenize, paired } from '@isotherm/core/engine'
import { forcedIndexes, tablePaths } from '@isotherm/core/tools'

// Spanner takes no two names that differ in the case of their letters only, in either dialect.

export function folded(name: string): string {
  return name.toLowerCase()
}

export function sameName(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && folded(one) === folded(other))
}

export function byName<T extends { readonly name: string }>(things: readonly T[]): ReadonlyMap<string, T> {
  return new Map(things.map((thing) => [folded(thing.name), thing]))
}

/** The items in both, only in the first, and only in the second: each in its own order. */
interface Matched<T> {
  readonly both: readonly { readonly from: T; readonly to: T }[]
  readonly gone: readonly T[]
  readonly added: readonly T[]
}

export function matched<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
): Matched<T> {
  const [before, after] = [byName(from), byName(to)]
  return {
    both: to.flatMap((thing) => {
      const old = before.get(folded(thing.name))
      return old ? [{ from: old, to: thing }] : []
    }),
    gone: from.filter(({ name }) => !after.has(folded(name))),
    added: to.filter(({ name }) => !before.has(folded(name))),
  }
}

// Facts about SQL that can be decided without the database that reads it.

/** Whether two expressions, or two queries, say the same. */
export type SameSql = (one: string, other: string) => boolean

/** Whether two texts are the same apart from white space, comments, and quotes around names. */
export function sameTokens(lexicalSyntax: LexicalSyntax): SameSql {
  return (one, other) => {
    if (one === other) return true
    const [a, b] = [tokenize(one, lexicalSyntax), tokenize(other, lexicalSyntax)]
    return a.length === b.length && paired(a, b).every(([token, like]) => isSameToken(token, like))
  }
}

function isSameToken(a: Token, b: Token): boolean {
  return a.text === b.text && (a.kind === b.kind || (isName(a) && isName(b)))
}

/** Whether an expression contains a name, in any role. */
export function mentions(sql: string, name: string, lexicalSyntax: LexicalSyntax): boolean {
  return tokenize(sql, lexicalSyntax).some((token) => isName(token) && folded(token.text) === folded(name))
}

/** The tables and views that a query reads, folded; perhaps some names more, such as those of its own subqueries. */
export function tablesRead(query: string, lexicalSyntax: LexicalSyntax): ReadonlySet<string> {
  const paths = tablePaths(tokenize(query, lexicalSyntax))
  return new Set(paths.map((path) => folded((path[0] === 'public' ? path.slice(1) : path).join('.'))))
}

/** The indexes that a query cannot do without, folded; a name may lack its named schema. */
export function indexesForced(query: string, lexicalSyntax: LexicalSyntax): readonly string[] {
  return forcedIndexes(tokenize(query, lexicalSyntax)).map(folded)
}
