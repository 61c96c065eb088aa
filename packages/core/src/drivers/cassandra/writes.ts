import { IsothermError } from '../../errors.js'
import type { Mutation, WriteCallOptions } from '../../database/driver.js'
import { storedTable, type TableLayout } from '../../dialects/layout.js'
import type { CqlStatement, CqlStatements } from '../../dialects/cql/statements.js'
import { sameWire } from '../../dialects/wire.js'
import type { Session } from './execute.js'
import { isApplied, refused } from './found-row.js'
import type { SentWrite } from './sending.js'

/** The statement of one row, and what it is of. */
interface RowWrite extends SentWrite {
  readonly mutation: Mutation
  readonly at: number
}

/**
 * One commit: rows of one partition, all of them or none; or one row under a condition.
 *
 * @throws {IsothermError} `TOO_MANY_MUTATIONS` for rows of several partitions, or for more than go into one commit;
 * `ALREADY_EXISTS` and `NOT_FOUND` where a row is not as its mutation takes it to be.
 */
export async function commitMutations(
  session: Session,
  statements: CqlStatements,
  mutations: readonly Mutation[],
  options: WriteCallOptions,
): Promise<void> {
  const { ttl, writeTime, check = true } = options
  const clauses = { check, ...(ttl !== undefined && { ttl }), ...(writeTime !== undefined && { writeTime }) }
  const writes: RowWrite[] = mutations.flatMap((mutation) =>
    statements
      .write(mutation, clauses)
      .map((statement, at) => ({ statement, mutation, at, leavesNulls: leavesNulls(mutation, statement) })),
  )
  const [first] = writes
  if (!first) return
  const isConditional = writes.some(({ statement }) => statement.kind === 'conditional')
  if (isConditional) {
    if (writes.length > 1) throw manyConditional(writes)
    if (writeTime !== undefined) throw timedCondition(first.mutation)
    return writeChecked(session, first, options)
  }
  refusePartitions(writes)
  const most = session.has.statementsPerBatch
  if (writes.length > most) throw manyRows(writes, most)
  await session.call('write', options, (call) =>
    writes.length === 1 ? call.write(first.statement, first.leavesNulls) : call.batch(writes),
  )
}

/**
 * A row that is new has nothing that its NULLs would have to delete. Beside other rows there may be what is left of one that
 * was there before: a part of it can have had a longer time to live than what says that it is there.
 */
export function leavesNulls({ op, layout }: Mutation, { kind }: CqlStatement): boolean {
  return op === 'insert' && !(kind === 'conditional' && layout?.stored?.as === 'static')
}

async function writeChecked(session: Session, write: RowWrite, options: WriteCallOptions): Promise<void> {
  const { statement, mutation } = write
  const result = await session.call('once', options, (call) => call.write(statement, write.leavesNulls))
  if (!isApplied(result)) throw refused(mutation, write.at)
}

function refusePartitions(writes: readonly RowWrite[]): void {
  const [first] = writes
  if (writes.every((write) => liesBeside(write, first!))) return
  const partitions = new Set(writes.map(partitionOf))
  const { table } = layoutOf(first!)
  throw new IsothermError(
    'TOO_MANY_MUTATIONS',
    `${writes.length} rows lie in ${partitions.size} partitions, and a commit is one partition.`,
    {
      fix: 'Write each partition by itself, or let the call use several commits: { split: true }.',
      table: table.name,
    },
  )
}

/** In the same partition: asked of every row, so without a text of its key. */
function liesBeside(one: RowWrite, other: RowWrite): boolean {
  if (one === other) return true
  const { parameters, routing } = one.statement
  const { parameters: others, routing: places } = other.statement
  return (
    storedTable(layoutOf(one)) === storedTable(layoutOf(other)) &&
    routing.length === places.length &&
    routing.every((at, part) => sameWire(parameters[at]!.value, others[places[part]!]!.value))
  )
}

function partitionOf(write: RowWrite): string {
  const { parameters, routing } = write.statement
  return JSON.stringify([storedTable(layoutOf(write)), ...routing.map((at) => parameters[at]!.value)])
}

/** There is one: a statement was made of it. */
function layoutOf({ mutation }: RowWrite): TableLayout {
  return mutation.layout!
}

function manyConditional(writes: readonly RowWrite[]): IsothermError {
  const { table } = layoutOf(writes[0]!)
  return new IsothermError(
    'TOO_MANY_MUTATIONS',
    `${writes.length} rows are written, some on the condition that they are there, or are not: that is one commit a row.`,
    {
      fix: 'Write them one by one, or let the call use several commits: { split: true }; or leave the check out: { check: false }.',
      table: table.name,
    },
  )
}

function manyRows(writes: readonly RowWrite[], most: number): IsothermError {
  const { table } = layoutOf(writes[0]!)
  return new IsothermError(
    'TOO_MANY_MUTATIONS',
    `${writes.length} rows are more than a commit takes, which is ${most}.`,
    {
      fix: `Write up to ${most} rows at a time, or let the call use several commits: { split: true }.`,
      table: table.name,
    },
  )
}

function timedCondition({ table }: Mutation): IsothermError {
  return new IsothermError('INVALID_VALUE', `A checked write of ${table} has a time of its own.`, {
    fix: 'Leave writeTime out, or write without a check: { check: false }.',
    table,
  })
}
