/** What a statement does: `query` reads, `dml` writes rows, `ddl` changes the schema. */
export type StatementKind = 'query' | 'dml' | 'ddl'

/** Spaces, comments, hints and parentheses, which may stand before a statement's first word. */
const BEFORE = /^(?:\s|--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|@\{[^}]*\}|\()+/

const DML = new Set(['INSERT', 'UPDATE', 'DELETE'])
const DDL = new Set(['CREATE', 'ALTER', 'DROP', 'RENAME', 'GRANT', 'REVOKE', 'ANALYZE'])

/** A statement's kind, from its first word: in neither dialect can DML stand behind a WITH. */
export function statementKind(text: string): StatementKind {
  const word = /^\w+/.exec(text.replace(BEFORE, ''))?.[0].toUpperCase() ?? ''
  return DML.has(word) ? 'dml' : DDL.has(word) ? 'ddl' : 'query'
}
