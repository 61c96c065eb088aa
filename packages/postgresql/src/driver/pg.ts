import type { Pool, PoolClient, QueryArrayConfig } from 'pg'
import type { Answer, Caller, Connections, TransactionWork, Values } from './connection.js'
import { isConnectionLost } from './errors.js'

type Row = (string | null)[]

/** Cells as PostgreSQL writes them. */
const AS_TEXT = { getTypeParser: () => (text: string | Buffer) => text } as QueryArrayConfig['types']

/** The connections of a pool of `pg`. */
export function poolConnections(pool: Pool): Connections {
  // Without a listener, a connection that breaks while nobody uses it ends the process.
  if (pool.listenerCount('error') === 0) pool.on('error', () => {})

  const connect = async (caller: Caller): Promise<PoolClient> => {
    const client = await pool.connect()
    if (!caller.hasLeft) return client
    client.release()
    throw new Error('Nobody waits for this call any more.')
  }

  /** A connection whose caller has left in the midst of a statement is closed: the server ends the statement then. */
  const using = async <T>(caller: Caller, work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await connect(caller)
    let isReleased = false
    const release = (isBroken: boolean): void => {
      if (!isReleased) client.release(isBroken)
      isReleased = true
    }
    const stays = caller.whenLeft(() => release(true))
    try {
      const value = await work(client)
      release(false)
      return value
    } catch (error) {
      release(isConnectionLost(error))
      throw error
    } finally {
      stays()
    }
  }

  return {
    name: 'PostgreSQL',
    client: pool,
    concurrency: pool.options.max,
    query: (text, values, caller) => using(caller, (client) => ask(client, text, values)),
    transaction: <T>({ mode, run, committing }: TransactionWork<T>, caller: Caller) =>
      using(caller, async (client) => {
        await client.query(`BEGIN ${mode}`)
        try {
          const value = await run({ query: (text, values) => ask(client, text, values) })
          committing?.()
          await client.query('COMMIT')
          return value
        } catch (error) {
          if (!isConnectionLost(error)) await client.query('ROLLBACK').catch(() => {})
          throw error
        }
      }),
  }
}

async function ask(client: PoolClient, text: string, values: Values): Promise<Answer> {
  // Without parameters a text may hold several statements, and the answer is a list.
  const config: QueryArrayConfig = { text, rowMode: 'array', types: AS_TEXT }
  const { fields, rows, rowCount } = lastOf(
    await client.query<Row>(values.length > 0 ? { ...config, values: values as Row } : config),
  )
  return {
    columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })),
    rows,
    rowCount: rowCount ?? undefined,
  }
}

function lastOf<Result>(answered: Result | readonly Result[]): Result {
  return Array.isArray(answered) ? (answered as readonly Result[]).at(-1)! : (answered as Result)
}
