import type { DialectName } from '../../model/sql-expression.js'
import { tokenAt } from '../../sql/tokenize.js'

/**
 * The first section, from 0, that a break cuts off inside a text or a comment; undefined where none is. Which dialect is meant
 * is not known here, and what is well in one of them may look cut in the other: only what is well in none counts.
 *
 * @param breakLine what stood between the sections
 */
export function cutSection(sections: readonly string[], breakLine: string): number | undefined {
  const readings = (['googlesql', 'spanner-postgresql', 'cql'] as const).map((dialect) => ({
    dialect,
    cut: [...sections.keys()].filter((at) => isCut(sections[at]!, dialect)),
  }))
  if (readings.some(({ cut }) => cut.length === 0)) return undefined
  // The dialect that is meant sees fewer.
  const likeliest = readings.sort((one, other) => one.cut.length - other.cut.length)
  for (const { dialect, cut } of likeliest) {
    const [first] = cut
    // A quote that nothing closes further down is a slip of the pen, for the database to speak of.
    const isClosedLater = sections.some(
      (_, at) => at > first! && !isCut(sections.slice(first, at + 1).join(breakLine), dialect),
    )
    if (isClosedLater) return first
  }
  return undefined
}

function isCut(section: string, dialect: DialectName): boolean {
  for (let at = 0; at < section.length;) {
    const { length, token } = tokenAt(section, at, dialect)
    if (token && opens(section, at, length, dialect)) return true
    at += length
  }
  return false
}

/**
 * What begins a text, a quoted name or a comment that is read as less than that, since its end is missing; or one that only the
 * other dialect has.
 */
const UNCLOSED: Readonly<Record<DialectName, RegExp>> = {
  googlesql: /['"`$]|\/\*/y,
  'spanner-postgresql': /['"`]|\/\*(?!@)|\$(?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$/uy,
  cql: /['"`$]|\/\*/y,
}

function opens(sql: string, at: number, length: number, dialect: DialectName): boolean {
  const pattern = UNCLOSED[dialect]
  pattern.lastIndex = at
  if (length === 1 && pattern.test(sql)) return true
  if (dialect !== 'googlesql') return false
  // Of three quotes, two would be an empty text by themselves.
  const triple = /(?:[rR]?[bB]?|[bB][rR])("""|''')/y
  triple.lastIndex = at
  const [start, quotes] = triple.exec(sql) ?? []
  if (start === undefined) return false
  return length < start.length + 3 || !sql.slice(at, at + length).endsWith(quotes!)
}
