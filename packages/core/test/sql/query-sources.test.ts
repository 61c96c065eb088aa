import { tokenize } from '@isotherm/core/engine'
import { forcedIndexes, tablePaths } from '@isotherm/core/tools'
import { describe, expect, it } from 'vitest'
import { lexicalSyntaxes } from '../support/lexical-syntaxes.js'

describe('tables and forced indexes of a query', () => {
  it.each([
    ['googlesql', 'SELECT 1 FROM a.b AS t, c JOIN d ON true', ['a.b', 'c', 'd']],
    ['googlesql', '@{X=1, Y=2} SELECT 1 FROM a@{FORCE_INDEX=i} JOIN@{JOIN_METHOD=HASH_JOIN} b', ['a', 'b']],
    ['googlesql', 'SELECT 1 FROM a JOIN@{never closed b', ['a']],
    ['spanner-postgresql', 'SELECT 1 FROM a /*@ FORCE_INDEX=i */ JOIN /*@ X=1, Y=2 */ "B"', ['a', 'B']],
    ['spanner-postgresql', 'SELECT 1 FROM (a JOIN /* no hint */ b ON true)', ['a', 'b']],
    ['spanner-postgresql', 'SELECT 1 FROM a JOIN /*@ never closed b', ['a']],
  ] as const)('tablePaths() returns the tables that a query reads, in %s: %s', (dialect, query, tables) => {
    expect(tablePaths(tokenize(query, lexicalSyntaxes[dialect])).map((path) => path.join('.'))).toEqual(
      tables,
    )
  })

  it.each([
    ['googlesql', 'SELECT 1 FROM a@{FORCE_INDEX=i, Y=2} JOIN b@{Y=2, force_index=`s.J`}', ['i', 's.J']],
    ['googlesql', 'SELECT FORCE_INDEX = i FROM a /*@ FORCE_INDEX=j */', []],
    [
      'spanner-postgresql',
      `SELECT 1 FROM a /*@ FORCE_INDEX="I" */, b /*@force_index='j'::text*/`,
      ['I', 'j'],
    ],
    ['spanner-postgresql', 'SELECT 1 FROM a@{FORCE_INDEX=i} /* FORCE_INDEX=j */', ['i']],
    ['spanner-postgresql', 'SELECT 1 FROM a /*@ FORCE_INDEX= */', []],
  ] as const)(
    'forcedIndexes() returns the indexes that FORCE_INDEX hints name, in %s: %s',
    (dialect, query, indexes) => {
      expect(forcedIndexes(tokenize(query, lexicalSyntaxes[dialect]))).toEqual(indexes)
    },
  )
})
