import * as nodeModule from 'node:module'
import { pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import type { HookSettings } from './module-hooks.js'

interface InThread {
  registerHooks?: (hooks: object) => void
}

// If Node supports it, in this thread: the other API costs a thread, and is deprecated.
const { registerHooks: inThread } = nodeModule as InThread

let registered: Promise<void> | undefined

/** Lets imports find the project's packages, and runs its TypeScript directly. Further calls do nothing. */
export async function registerHooks(directory: string): Promise<void> {
  registered ??= register(directory)
  await registered
}

/** Compiles the project by this tsconfig.json. */
export async function useTsconfig(path: string | undefined): Promise<void> {
  if (path === undefined) return
  const { chooseTsconfig, tsconfigOf } = await import('./tsconfig.js')
  chooseTsconfig(path)
  // Its errors are those of the configuration, and not of a module.
  tsconfigOf(path)
  if (!inThread) nodeModule.register('./chosen-tsconfig.js', import.meta.url, { data: path })
}

async function register(directory: string): Promise<void> {
  const settings: HookSettings = {
    // The file need not exist: only the folder matters.
    projectUrl: new URL('isotherm.config.js', pathToFileURL(`${directory}/`)).href,
    commandUrl: new URL('../../', import.meta.url).href,
  }
  process.setSourceMapsEnabled(true)
  const { requireTypeScript } = await import('./require-typescript.js')
  if (inThread) {
    requireTypeScript(settings.commandUrl)
    const { initialize, load, resolve } = await import('./module-hooks.js')
    initialize(settings)
    inThread({ load, resolve })
    return
  }
  const { LoadedModules } = await import('./loaded-modules.js')
  const { port1: ofRequire, port2: ofImport } = new MessageChannel()
  requireTypeScript(settings.commandUrl, new LoadedModules(ofRequire))
  const data: HookSettings = { ...settings, loadedModules: ofImport }
  nodeModule.register('./module-hooks.js', import.meta.url, { data, transferList: [ofImport] })
}
