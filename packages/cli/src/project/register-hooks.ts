import * as nodeModule from 'node:module'
import { pathToFileURL } from 'node:url'
import type { HookSettings } from './module-hooks.js'

interface InThread {
  registerHooks?: (hooks: object) => void
}

let registered: Promise<void> | undefined

/** From now on, imports find the project's packages, and its TypeScript runs as it is. Calling it again does nothing more. */
export async function registerHooks(directory: string): Promise<void> {
  registered ??= register(directory)
  await registered
}

async function register(directory: string): Promise<void> {
  const settings: HookSettings = {
    // Not a file that has to be there: what matters is the folder.
    projectUrl: new URL('isotherm.config.js', pathToFileURL(`${directory}/`)).href,
    commandUrl: new URL('../../', import.meta.url).href,
  }
  process.setSourceMapsEnabled(true)
  // Where Node has it, in this thread: the other way costs a thread, and is on its way out.
  const { registerHooks } = nodeModule as InThread
  if (registerHooks) {
    const { initialize, load, resolve } = await import('./module-hooks.js')
    initialize(settings)
    registerHooks({ load, resolve })
    return
  }
  nodeModule.register('./module-hooks.js', import.meta.url, { data: settings })
}
