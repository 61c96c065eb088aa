import { Name, SQL, StringChunk, type SQLChunk, type Subquery } from 'drizzle-orm'

const WITH = new StringChunk('with ')
const COMMA = new StringChunk(', ')
const AS = new StringChunk(' as ')
const SPACE = new StringChunk(' ')

/** A query with the subqueries that stand before it by name. */
export class WithSubqueries extends SQL {
  constructor(
    readonly subqueries: readonly Subquery[],
    readonly body: SQL,
    /** Whether the statement takes no `with` clause: DML does not. */
    readonly isDml = false,
  ) {
    super(isDml ? [body] : [...subqueries.flatMap(named), SPACE, body])
  }
}

/** As Drizzle itself would have it in the text, which is what DDL is made with. */
function named({ _: { sql, alias } }: Subquery, at: number): SQLChunk[] {
  return [at === 0 ? WITH : COMMA, new Name(alias), AS, [sql]]
}
