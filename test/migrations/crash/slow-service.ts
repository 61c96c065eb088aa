import type { Driver, SchemaChanges, SchemaChangeState } from '@isotherm/core'
import { IsothermError } from '@isotherm/core'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The state of a schema change, as the service sends it. */
export interface SentState {
  readonly statements: readonly string[]
  readonly done: boolean
  readonly applied: number
  readonly error?: string
}

/** A database whose schema changes are slow, and continue after the process that began them has died. */
export interface SlowService {
  readonly url: string
  /** For a migrator in this process. */
  readonly changes: SchemaChanges
  close(): Promise<void>
}

/**
 * @param pace milliseconds that a statement takes before it is applied, by how many were applied before it
 * @param onApplied told how many statements have been applied in all
 */
export async function slowService(
  driver: Driver,
  granularity: (before: number) => number,
  onApplied: (count: number) => void,
): Promise<SlowService> {
  const operations = new Map<string, { state: SentState; work: Promise<void> }>()
  let count = 0

  const run = async (id: string, statements: readonly string[]): Promise<void> => {
    for (const [at, statement] of statements.entries()) {
      await sleep(granularity(count))
      try {
        await applied(driver, statement)
      } catch (error) {
        operations.get(id)!.state = { statements, done: true, applied: at, error: (error as Error).message }
        return
      }
      operations.get(id)!.state = { statements, done: at + 1 === statements.length, applied: at + 1 }
      onApplied(++count)
    }
  }
  const begin = (id: string, statements: readonly string[]): void => {
    if (operations.has(id)) return
    const entry = { state: { statements, done: false, applied: 0 } as SentState, work: Promise.resolve() }
    operations.set(id, entry)
    entry.work = run(id, statements)
  }

  const server = createServer((request, response) => {
    void (async () => {
      const { id, statements } = JSON.parse(await bodyOf(request)) as { id: string; statements?: string[] }
      if (statements) begin(id, statements)
      response.end(JSON.stringify(operations.get(id)?.state ?? null))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes: {
      begin: async (statements, id) => begin(id, statements),
      state: async (id) => received(operations.get(id)?.state),
    },
    async close() {
      await closed(server)
      await Promise.all([...operations.values()].map(({ work }) => work))
    },
  }
}

/** The emulator refuses a schema change while a transaction is open; the Spanner service would wait. */
async function applied(driver: Driver, statement: string): Promise<void> {
  for (;;) {
    try {
      return await driver.applyDdl([statement])
    } catch (error) {
      if (!(error instanceof IsothermError && error.retryable)) throw error
      await sleep(5)
    }
  }
}

/** The state in the form of a driver. */
export function received(state: SentState | null | undefined): SchemaChangeState | undefined {
  if (!state) return undefined
  const { error, ...rest } = state
  return {
    ...rest,
    progress: rest.statements.map((_, at) => (at < rest.applied ? 100 : 0)),
    ...(error !== undefined && { error: new IsothermError('CONSTRAINT', error) }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
