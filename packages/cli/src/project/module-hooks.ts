import { readFileSync } from 'node:fs'
import { type LoadHook, type ResolveHook, createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { FROM, isShared } from '../engines.js'
import { findTypeScript, isTypeScript, transformTypeScript } from './transform-typescript.js'

// Node's module hooks: they run the project's TypeScript as it is, and give the command the packages of the project.

export interface HookSettings {
  /** The folder whose packages are used. */
  readonly projectUrl: string
  /** The folder of this command. */
  readonly commandUrl: string
}

let settings: HookSettings = { projectUrl: '', commandUrl: '' }

export function initialize(given: HookSettings): void {
  settings = given
}

// Neither waits for anything, so that the same functions serve in a thread of their own and in this one.

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  if (specifier.startsWith(FROM)) {
    const [parent = '', ...rest] = specifier.slice(FROM.length).split('#')
    return resolve(rest.join('#'), { ...context, parentURL: parent }, nextResolve)
  }
  const { parentURL } = context
  const { projectUrl, commandUrl } = settings
  if (isShared(specifier) && parentURL?.startsWith(commandUrl) === true && isInstalled(specifier, projectUrl))
    return nextResolve(specifier, { ...context, parentURL: projectUrl })
  // A configuration needs no copy of the command beside it, as when npx runs it.
  if (specifier === '@isotherm/cli') return nextResolve(new URL('dist/index.js', commandUrl).href, context)
  if (parentURL === undefined || !isTypeScript(parentURL)) return nextResolve(specifier, context)
  return nextResolve(findTypeScript(specifier, fileURLToPath(parentURL)) ?? specifier, context)
}

export const load: LoadHook = (url, context, nextLoad) => {
  if (!isTypeScript(url)) return nextLoad(url, context)
  const path = fileURLToPath(url)
  return {
    format: 'module',
    source: transformTypeScript(readFileSync(path, 'utf8'), path),
    shortCircuit: true,
  }
}

function isInstalled(specifier: string, projectUrl: string): boolean {
  try {
    createRequire(projectUrl).resolve(specifier)
    return true
  } catch {
    return false
  }
}
