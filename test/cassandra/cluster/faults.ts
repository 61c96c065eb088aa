import { setTimeout as delay } from 'node:timers/promises'
import { IsothermError, openDatabase, type Database } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import type { Cassandra } from '@isotherm/cassandra/local'
import type { Client } from 'cassandra-driver'
import { DAY, Sharded, schema } from './models.js'

/** What a killed node did to the work that was under way. */
export interface FaultReport {
  readonly acknowledged: readonly string[]
  /** Codes of the errors that writers met, each of which tried the row again. */
  readonly errors: readonly string[]
}

export function openCluster(client: Client): Database {
  return openDatabase({ driver: cassandra(client, { dialect: cql }), schema })
}

/** Writes rows side by side until told to stop, and remembers which of them the database has acknowledged. */
export class Writers {
  readonly acknowledged: string[] = []
  readonly errors: string[] = []
  #stopped = false
  readonly #done: Promise<unknown>

  constructor(db: Database, many: number) {
    this.#done = Promise.all(Array.from({ length: many }, (_, writer) => this.#write(db, writer)))
  }

  async #write(db: Database, writer: number): Promise<void> {
    for (let row = 0; !this.#stopped; row++) {
      const title = `${writer}/${row}`
      try {
        await db.insert(Sharded, [{ publishDate: DAY, publishedAt: new Date(), title }])
        this.acknowledged.push(title)
      } catch (error) {
        // What passes is tried again, as another row; anything else ends the test.
        if (!(error instanceof IsothermError && error.retryable)) throw error
        this.errors.push(error.code)
      }
    }
  }

  /** Goes on once so many more rows are acknowledged. */
  async more(rows: number): Promise<void> {
    const goal = this.acknowledged.length + rows
    const reached = async (): Promise<void> => {
      while (this.acknowledged.length < goal && !this.#stopped) await delay(5)
    }
    // A writer that fails ends the wait.
    await Promise.race([reached(), this.#done])
  }

  async stop(): Promise<FaultReport> {
    this.#stopped = true
    await this.#done
    return { acknowledged: this.acknowledged, errors: this.errors }
  }
}

/** Kills a node once a read of all shards has given its first rows, and reads on to the end. */
export async function readWhileKilled(db: Database, engine: Cassandra, node: number): Promise<string[]> {
  const titles: string[] = []
  let killed: Promise<void> | undefined
  for await (const { title } of db
    .fanOut(Sharded)
    .where({ publishDate: DAY })
    .orderBy('publishedAt', 'desc')) {
    titles.push(title!)
    if (titles.length === 100) killed = engine.node(node).kill()
  }
  await killed
  return titles
}

export async function titlesOf(db: Database): Promise<string[]> {
  const rows = await db.fanOut(Sharded).where({ publishDate: DAY }).all()
  return rows.map(({ title }) => title!)
}
