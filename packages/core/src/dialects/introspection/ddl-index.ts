import { splitList, TokenReader } from '../../sql/token-reader.js'
import { areWords, isName, type Token } from '../../sql/token.js'
import type { IndexClauses, NameOf } from './ddl-clauses.js'

/** The rest of `CREATE INDEX`, from its name on. An index without a named schema of its own is in its table's. */
export function readIndexClauses(reader: TokenReader, nameOf: NameOf): [string, IndexClauses] {
  reader.skip('IF', 'NOT', 'EXISTS')
  const path = reader.path()
  reader.seek('ON')
  const table = reader.path()
  const name = nameOf(path.length > 1 ? path : [...table.slice(0, -1), ...path])
  const parts = reader.group() ?? []
  const tail = reader.rest()
  const where = new TokenReader(tail)
  const interleaved = new TokenReader(tail)
  return [
    name,
    {
      nulls: new Map(splitList(parts).flatMap(nullsOf)),
      notNull: where.seek('WHERE') ? notNullColumns(where.rest()) : [],
      ...(interleaved.seek('INTERLEAVE', 'IN') && { interleaveIn: nameOf(interleaved.path()) }),
    },
  ]
}

/** The columns of `a IS NOT NULL AND b IS NOT NULL`, whatever parentheses are around them. */
export function notNullColumns(filter: readonly Token[]): string[] {
  return filter.flatMap((token, at) =>
    isName(token) && areWords(filter, at + 1, 'IS', 'NOT', 'NULL') ? [token.text] : [],
  )
}

function nullsOf([column, ...rest]: readonly Token[]): [string, 'first' | 'last'][] {
  const reader = new TokenReader(rest)
  if (!isName(column) || !reader.seek('NULLS')) return []
  return [[column.text, reader.skip('FIRST') ? 'first' : 'last']]
}
