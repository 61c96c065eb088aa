import { pathToFileURL } from 'node:url'
import { tsconfigOf } from './tsconfig.js'
import { isTypeScript } from './transform-typescript.js'

/**
 * Imports a module of the project, whichever module system it is of.
 *
 * @returns its exports, by the names that it gives them: of CommonJS made by a compiler too.
 * @throws {CommandError} `CONFIG` for a tsconfig.json that cannot be read, and whatever the module throws.
 */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { href } = pathToFileURL(path)
  // Hooks may run in another thread, from which an error comes without its class.
  if (isTypeScript(href)) tsconfigOf(path)
  const module = (await import(href)) as Readonly<Record<string, unknown>>
  const { default: exported } = module
  const isCompiled = typeof exported === 'object' && exported !== null && '__esModule' in exported
  return isCompiled ? { ...exported } : module
}
