import { withoutComments } from '@isotherm/core/tools'
import { splitStatements } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'
import { spannerPostgreSqlLexicalSyntax } from '../../../spanner/src/postgresql/lexical-syntax.js'

describe('withoutComments()', () => {
  it.each([
    ["-- it's new\nCREATE TABLE T (Id INT64) PRIMARY KEY (Id)", 'CREATE TABLE T (Id INT64) PRIMARY KEY (Id)'],
    ['CREATE TABLE T (Id INT64 /* one; two */) # three', 'CREATE TABLE T (Id INT64  )'],
    ["CHECK (a != '-- no' AND `/*b*/` > 1)", "CHECK (a != '-- no' AND `/*b*/` > 1)"],
  ])('removes comments outside quotes from %j', (input, expected) => {
    expect(withoutComments(input, googleSqlLexicalSyntax)).toBe(expected)
  })

  it('keeps a FORCE_INDEX hint that is written as a comment in the PostgreSQL dialect', () => {
    const view = 'CREATE VIEW v AS SELECT 1 FROM t /*@ FORCE_INDEX=i */'
    expect(withoutComments(view, spannerPostgreSqlLexicalSyntax)).toBe(view)
  })

  it('splitStatements() splits a script at semicolons outside comments, and removes the comments', () => {
    expect(splitStatements('CREATE TABLE A (Id INT64 -- x;\n);\nDROP TABLE B', googlesql)).toEqual([
      'CREATE TABLE A (Id INT64  \n)',
      'DROP TABLE B',
    ])
  })

  it('splitStatements() keeps the body of a function whole, whatever is in it', () => {
    const statements = [
      `CREATE FUNCTION f(x bigint) RETURNS bigint BEGIN ATOMIC
         SELECT 1 AS end; SELECT CASE WHEN x > 1 THEN CASE x WHEN 2 THEN 'END;' END END; SELECT t.end FROM t;
       END`,
      'CREATE PROCEDURE p() begin /* all */ atomic; END',
      'CREATE FUNCTION g() RETURNS int BEGIN ATOMIC SELECT 1 case, 2 end; SELECT xmlelement(name end); SELECT 3; END',
      'COMMIT',
      'SELECT x.begin atomic FROM x',
      'SELECT CASE WHEN true THEN 1 END',
      'BEGIN',
      'SELECT 1 AS atomic',
      'END',
    ]
    expect(splitStatements(`${statements.join(';\n')};`, spannerPostgresql)).toEqual(statements)
  })

  it('splitStatements() keeps what follows a function without its END in one statement', () => {
    const script = 'CREATE FUNCTION f() BEGIN ATOMIC SELECT 1; SELECT 2'
    expect(splitStatements(script, spannerPostgresql)).toEqual([script])
  })
})
