import { type CallOptions, IsothermError, type Reader, type Snapshot, itemAt } from '@isotherm/core/engine'
import { type Answer, Caller, type Connection, type Connections, type Values } from './connection.js'
import { type Waited, momentOf, nextTransactionOf, readerOf } from './reader.js'

const SNAPSHOT = 'ISOLATION LEVEL REPEATABLE READ READ ONLY'
const CLOSED = 'The snapshot was closed.'

/**
 * A snapshot that keeps a connection of the pool, in a transaction, until it is closed. Parallel reads take other connections, in
 * transactions that see the same snapshot. They take free ones only: callers that wait for each other's connections would wait for ever.
 */
export async function heldSnapshot(
  connections: Connections,
  waited: Waited,
  call: CallOptions,
): Promise<Snapshot> {
  let end: (() => void) | undefined
  const closed = new Promise<void>((resolve) => (end = resolve))
  let isClosed = false
  const { connection, beginning } = await waited(
    call,
    (caller) =>
      new Promise<{ connection: Connection; beginning: Answer }>((resolve, reject) => {
        connections
          .transaction(
            {
              mode: SNAPSHOT,
              also: `, pg_export_snapshot(), current_setting('isotherm.sessions', true)`,
              async run(connection, beginning) {
                if (caller.hasLeft) return
                resolve({ connection, beginning })
                await closed
              },
            },
            // The call that opens it does not wait for its end.
            caller,
          )
          .catch(reject)
      }),
  )
  // A pool of connections to PGlite, which has one session for all of them.
  if (itemAt(itemAt(beginning.rows, 0), 3) === '1') {
    end?.()
    return watchedSnapshot({ ...connections, name: 'PGlite' }, waited, call)
  }
  const mode = `${SNAPSHOT}; SET TRANSACTION SNAPSHOT '${itemAt(itemAt(beginning.rows, 0), 2)}'`
  const kept = keptConnection(connection)
  let isShared = true
  const reader = readerOf(
    {
      async query(text, values, caller = new Caller()) {
        if (kept.isBusy() && isShared && connections.hasFree()) {
          let hasBegun = false
          try {
            return await connections.transaction(
              {
                mode,
                run(other) {
                  hasBegun = true
                  return other.query(text, values)
                },
              },
              caller,
            )
          } catch (error) {
            if (hasBegun || caller.hasLeft) throw error
            // The server gives no further connection, or another server answers, which does not know the snapshot.
            isShared = false
          }
        }
        return kept.query(text, values, caller)
      },
    },
    waited,
  )
  const open = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new IsothermError('CANCELLED', CLOSED)
    return work().catch((error: unknown) => {
      throw isClosed ? new IsothermError('CANCELLED', CLOSED, { cause: error }) : error
    })
  }
  return {
    readTimestamp: momentOf(beginning),
    read: (...args) => open(() => reader.read(...args)),
    query: (...args) => open(() => reader.query(...args)),
    run: (...args) => open(() => reader.run(...args)),
    close() {
      isClosed = true
      end?.()
    },
  }
}

/** The connection whose transaction keeps a snapshot: a statement that fails must not end the transaction. */
function keptConnection(connection: Connection) {
  // It stays after a ROLLBACK TO. What is only read needs no other. If it fails, so does the next statement.
  connection.query('SAVEPOINT isotherm', []).catch(() => {})
  let last: Promise<unknown> = Promise.resolve()
  let statements = 0
  let isClosed = false

  const ask = async (text: string, values: Values, caller: Caller): Promise<Answer> => {
    if (isClosed) throw closedWithStatement()
    if (caller.hasLeft) throw new Error('The caller does not wait for this call any more.')
    let isAnswered = false
    let cancelled: Promise<boolean> | undefined
    const stays = caller.whenLeft(() => {
      cancelled = connection.cancel?.(() => isAnswered)
    })
    const ended = async (): Promise<void> => {
      isAnswered = true
      isClosed = (await cancelled) === false
    }
    try {
      const answer = await connection.query(text, values)
      if (cancelled) await ended()
      return answer
    } catch (error) {
      await ended()
      if (!isClosed) await connection.query('ROLLBACK TO SAVEPOINT isotherm', []).catch(() => {})
      throw error
    } finally {
      stays()
    }
  }

  return {
    isBusy: () => statements > 0,
    query(text: string, values: Values, caller: Caller): Promise<Answer> {
      statements++
      const mine = last
        .then(() => ask(text, values, caller))
        .finally(() => {
          statements--
        })
      last = mine.catch(() => {})
      return mine
    },
  }
}

function closedWithStatement(): IsothermError {
  return new IsothermError(
    'SNAPSHOT_EXPIRED',
    'A statement of the snapshot timed out or was aborted. The pool had no free connection to end it with, so the connection that kept the snapshot was closed.',
    { fix: 'Read again, with a pool of more connections: new Pool({ max: 20 }).' },
  )
}

/**
 * A snapshot of the only connection, which must not be kept: a write in the midst of the reading would wait for it for ever. Each read
 * is a transaction of its own, and asks first whether anything was written since the snapshot began.
 */
export async function watchedSnapshot(
  connections: Connections,
  waited: Waited,
  call: CallOptions,
): Promise<Snapshot> {
  let isClosed = false
  const within = <T>(
    call: CallOptions,
    run: (connection: Connection, beginning: Answer) => Promise<T>,
  ): Promise<T> => waited(call, (caller) => connections.transaction({ mode: SNAPSHOT, run }, caller))
  const begun = await within(call, async (_, beginning) => beginning)
  const open = <T>(options: CallOptions | undefined, work: (reader: Reader) => Promise<T>): Promise<T> =>
    within(options ?? call, async (connection, beginning) => {
      if (isClosed) throw new IsothermError('CANCELLED', CLOSED)
      if (nextTransactionOf(beginning) !== nextTransactionOf(begun)) throw expired(connections)
      return work(readerOf(connection, (_, read) => read(new Caller())))
    })
  return {
    readTimestamp: momentOf(begun),
    read: (request, options) => open(options, (reader) => reader.read(request, options)),
    query: (statement, types, options) => open(options, (reader) => reader.query(statement, types, options)),
    run: (statement, options) => open(options, (reader) => reader.run(statement, options)),
    close() {
      isClosed = true
    },
  }
}

function expired({ name }: Connections): IsothermError {
  return new IsothermError(
    'SNAPSHOT_EXPIRED',
    `Rows were written while a snapshot was read, and ${name} has one connection, which keeps no older versions.`,
    {
      fix: 'Read all rows before you write: await query.all(). Or use a server of PostgreSQL and the driver pg.',
    },
  )
}
