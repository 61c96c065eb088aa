import { googleSqlLexicon } from '../../../spanner/src/googlesql/lexicon.js'
import { spannerPostgreSqlLexicon } from '../../../spanner/src/postgresql/lexicon.js'

/** How SQL is read, by the name of its dialect: a table of cases has names, which its titles show. */
export const lexicons = {
  googlesql: googleSqlLexicon,
  'spanner-postgresql': spannerPostgreSqlLexicon,
} as const
