import { internals } from '@isotherm/core/engine'
import { setTimeout } from 'node:timers/promises'
import type { Pool, PoolClient, QueryArrayConfig } from 'pg'
import {
  type Answer,
  BEGINNING,
  type Caller,
  type Connection,
  type Connections,
  type TransactionWork,
  type Values,
  refuseRoundedFloats,
} from './connection.js'
import { isConnectionLost, isLockMissing } from './errors.js'

type Row = (string | null)[]

/** Milliseconds: no pause before the server is asked again to end a statement is as long. */
const MAX_PAUSE = 5_000

const same = (text: string | Buffer): string | Buffer => text

/** Cells as PostgreSQL writes them. */
const AS_TEXT: QueryArrayConfig['types'] = { getTypeParser: () => same }

/** The connections of a pool of `pg`. */
export function poolConnections(pool: Pool): Connections {
  // Without a listener, a connection that breaks while it is idle ends the process.
  if (pool.listenerCount('error') === 0) pool.on('error', () => {})

  let isChecked = false

  // A connection that is idle is handed out in the next turn of the event loop: until then its caller counts as waiting.
  const hasFree = (): boolean => pool.waitingCount < pool.idleCount + pool.options.max - pool.totalCount

  const connect = async (caller: Caller): Promise<PoolClient> => {
    const client = await pool.connect()
    listenForErrors(client)
    if (!caller.hasLeft) return client
    client.release()
    throw new Error('The caller does not wait for this call any more.')
  }

  /** A connection whose caller has left is closed. Of that alone the server takes no notice while a statement runs. */
  const using = async <T>(
    caller: Caller,
    work: (client: PoolClient, cancel: NonNullable<Connection['cancel']>) => Promise<T>,
  ): Promise<T> => {
    const client = await connect(caller)
    let isReleased = false
    const release = (isBroken: boolean): void => {
      if (!isReleased) client.release(isBroken)
      isReleased = true
    }
    const abandon = (): void => {
      release(true)
      void endStatement(client)
    }
    const cancel = async (isAnswered: () => boolean): Promise<boolean> => {
      // Behind other callers of the pool, the request could wait for the very connection that it is to free.
      if (hasFree() && (await endStatement(client, isAnswered))) return true
      abandon()
      return false
    }
    const stays = caller.whenLeft(abandon)
    try {
      if (!isChecked) await refuseRoundedFloats((text) => ask(client, text, []))
      isChecked = true
      const value = await work(client, cancel)
      release(false)
      return value
    } catch (error) {
      release(isConnectionLost(error))
      throw error
    } finally {
      stays()
    }
  }

  /** @returns whether it has ended, or will soon */
  const endStatement = async (client: PoolClient, isAnswered = (): boolean => false): Promise<boolean> => {
    const { processID } = processOf(client)
    if (processID === null) return false
    for (let pause = 10; pause < MAX_PAUSE && !isAnswered(); pause *= 2) {
      // Another connection may have the number by now: the statement says whether it is the same. The server shows its beginning.
      const { rows } = await pool
        .query<{ readonly ended: boolean | null }>(
          `SELECT CASE WHEN state = 'active' AND starts_with($2, query) THEN pg_cancel_backend(pid) END AS ended ` +
            `FROM pg_stat_activity WHERE pid = $1`,
          [processID, running.get(client)],
        )
        .catch(() => ({ rows: [] }))
      const [found] = rows
      if (!found || found.ended !== null) return found?.ended === true || isAnswered()
      // The server may not have received the statement yet.
      await setTimeout(pause, undefined, { ref: false })
    }
    return isAnswered()
  }

  return {
    name: 'PostgreSQL',
    client: pool,
    concurrency: pool.options.max,
    hasFree,
    query: (text, values, caller) => using(caller, (client) => ask(client, text, values)),
    transaction: <T>({ mode, also = '', run, committing }: TransactionWork<T>, caller: Caller) =>
      using(caller, async (client, cancel) => {
        const connection = { ...inTurn(client), cancel }
        let beginning: Answer | undefined
        try {
          beginning = await ask(client, `BEGIN ${mode}; ${BEGINNING}${also}`, [])
          const value = await run(connection, beginning)
          committing?.()
          connection.end()
          await client.query('COMMIT')
          return value
        } catch (error) {
          connection.end()
          // A transaction that has not begun has no end, for which it would have to wait once more.
          const hasBegun = beginning !== undefined || !isLockMissing(error)
          if (hasBegun && !isConnectionLost(error)) await client.query('ROLLBACK').catch(() => {})
          throw error
        }
      }),
  }
}

const listenedTo = new WeakSet<PoolClient>()

/** The call fails where a connection breaks; the client says so a second time, and ends the process where no listener is set. */
function listenForErrors(client: PoolClient): void {
  if (listenedTo.has(client)) return
  listenedTo.add(client)
  client.on('error', () => {})
}

/**
 * The connection of a transaction. One statement after the other: the client warns of those that it would have to keep. After the end,
 * the connection may have another user: a statement that still waits fails.
 */
function inTurn(client: PoolClient): Connection & { end(): void } {
  let last: Promise<unknown> = Promise.resolve()
  let hasEnded = false
  return {
    query(text, values) {
      const mine = last.then(() => {
        if (hasEnded) throw new Error('The transaction has ended.')
        return ask(client, text, values)
      })
      last = mine.catch(() => {})
      return mine
    },
    end() {
      hasEnded = true
    },
  }
}

/** What the types of the client do not tell: the process of the server that a connection has. */
const processOf = internals<{ readonly processID: number | null }>('Client of pg', ['processID'])

/** The statement of each connection that waits for its answer. */
const running = new WeakMap<PoolClient, string>()

async function ask(client: PoolClient, text: string, values: Values): Promise<Answer> {
  running.set(client, text)
  // Without parameters a text may hold several statements, and the answer is a list.
  const { fields, rows, rowCount } = lastOf(
    await client.query<Row, Row>({ text, rowMode: 'array', types: AS_TEXT }, values as Row),
  )
  return {
    columns: fields,
    rows,
    rowCount: rowCount ?? undefined,
  }
}

function lastOf<Result>(answered: Result | readonly Result[]): Result {
  return Array.isArray(answered) ? (answered as readonly Result[]).at(-1)! : (answered as Result)
}
