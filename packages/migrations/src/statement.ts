/**
 * How a statement of a migration is run.
 *
 * - `ddl`: a change of the schema, awaited to its end.
 * - `transaction`: DML in a read-write transaction, together with the record that it ran: exactly once. On an engine that has no
 *   transactions it is run at least once, again after a crash, and has to be idempotent.
 * - `partitioned`: partitioned DML, for UPDATE and DELETE over many rows. It may touch a row more than once, and is run again
 *   after a crash: it has to be idempotent.
 * - `reshard`: a step of a change of a key, which is not SQL: after a crash it goes on where it was.
 */
export type StatementKind = 'ddl' | 'transaction' | 'partitioned' | 'reshard'

export interface MigrationStatement {
  readonly kind: StatementKind
  readonly sql: string
}
