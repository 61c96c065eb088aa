import * as nodeModule from 'node:module'
import { pathToFileURL } from 'node:url'
import type { HookSettings } from './module-hooks.js'

interface InThread {
  registerHooks?: (hooks: object) => void
}

let registered: Promise<void> | undefined

/** Lets imports find the project's packages, and runs its TypeScript directly. Further calls do nothing. */
export async function registerHooks(directory: string): Promise<void> {
  registered ??= register(directory)
  await registered
}

async function register(directory: string): Promise<void> {
  const settings: HookSettings = {
    // The file need not exist: only the folder matters.
    projectUrl: new URL('isotherm.config.js', pathToFileURL(`${directory}/`)).href,
    commandUrl: new URL('../../', import.meta.url).href,
  }
  process.setSourceMapsEnabled(true)
  // If Node supports it, in this thread: the other API costs a thread, and is deprecated.
  const { registerHooks } = nodeModule as InThread
  if (registerHooks) {
    const { initialize, load, resolve } = await import('./module-hooks.js')
    initialize(settings)
    registerHooks({ load, resolve })
    return
  }
  nodeModule.register('./module-hooks.js', import.meta.url, { data: settings })
}
