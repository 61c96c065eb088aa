import { readFileSync } from 'node:fs'
import { createRequire, type LoadHook, type ResolveHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import { findTypeScript, isTypeScript } from './find-typescript.js'
import { transformTypeScript } from './transform-typescript.js'

// Node's module hooks: they run the project's TypeScript as it is, and give the command the packages of the project.

export interface HookSettings {
  /** The folder whose packages are used. */
  readonly projectUrl: string
  /** The folder of this command. */
  readonly commandUrl: string
}

/** Peers: there must be one copy of each, and it is the project's. */
const SHARED = /^(?:@isotherm\/(?:core|drizzle-adapter)|@google-cloud\/spanner)(?:\/|$)/

let settings: HookSettings = { projectUrl: '', commandUrl: '' }

export function initialize(given: HookSettings): void {
  settings = given
}

// Neither waits for anything, so that the same functions serve in a thread of their own and in this one.

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const { parentURL } = context
  const { projectUrl, commandUrl } = settings
  if (
    SHARED.test(specifier) &&
    parentURL?.startsWith(commandUrl) === true &&
    isInstalled(specifier, projectUrl)
  )
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
