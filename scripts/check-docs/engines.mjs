import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { root } from './pages.mjs'

const ENTRIES = {
  startSpannerEmulator: 'packages/spanner/dist/local.js',
  startCassandra: 'packages/cassandra/dist/local.js',
}

/** What everything is executed on: one engine of a kind for all pages, started when it is first needed. */
export class Engines {
  #started = new Map()

  spanner() {
    return this.#engine('startSpannerEmulator')
  }

  cassandra() {
    return this.#engine('startCassandra')
  }

  /** By what code starts them. */
  usedBy(code) {
    return Object.keys(ENTRIES).filter((start) => code.includes(start))
  }

  /** Where code finds the engines that it starts. */
  async environmentOf(used) {
    const environment = {}
    if (used.includes('startSpannerEmulator')) {
      environment.SPANNER_EMULATOR_HOST = (await this.spanner()).host
    }
    if (used.includes('startCassandra')) {
      const { contactPoints, localDataCenter } = await this.cassandra()
      environment.CASSANDRA_CONTACT_POINTS = contactPoints.join(',')
      environment.CASSANDRA_LOCAL_DATA_CENTER = localDataCenter
    }
    return environment
  }

  async stop() {
    const started = await Promise.allSettled(this.#started.values())
    await Promise.all(started.map(({ value }) => value?.stop()))
  }

  #engine(start) {
    let engine = this.#started.get(start)
    if (!engine) this.#started.set(start, (engine = startEngine(start)))
    return engine
  }
}

async function startEngine(start) {
  const engine = await (await import(pathToFileURL(join(root, ENTRIES[start])).href))[start]()
  console.log(`Engine: ${engine.description}`)
  return engine
}
