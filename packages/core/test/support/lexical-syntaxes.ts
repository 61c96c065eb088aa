import { googleSqlLexicalSyntax } from '../../../spanner/src/googlesql/lexical-syntax.js'
import { spannerPostgreSqlLexicalSyntax } from '../../../spanner/src/postgresql/lexical-syntax.js'

/** How SQL is read, by the name of its dialect: a table of cases has names, which its titles show. */
export const lexicalSyntaxes = {
  googlesql: googleSqlLexicalSyntax,
  'spanner-postgresql': spannerPostgreSqlLexicalSyntax,
} as const
