import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { root } from './pages.mjs'

/** The emulator that everything is executed on, started when it is first needed. */
export class Emulator {
  #started

  start() {
    this.#started ??= this.#start()
    return this.#started
  }

  async #start() {
    const engines = pathToFileURL(join(root, 'packages/core/dist/engines/index.js')).href
    const { startSpannerEmulator } = await import(engines)
    const emulator = await startSpannerEmulator()
    console.log(`Engine: ${emulator.description}`)
    return emulator
  }

  async stop() {
    await (await this.#started)?.stop()
  }
}
