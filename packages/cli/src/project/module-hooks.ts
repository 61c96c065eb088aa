import { existsSync, readFileSync } from 'node:fs'
import type { LoadHook, ResolveHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import { DRIZZLE_ADAPTER, FROM, sharedPackage } from '../engines.js'
import {
  findTypeScript,
  isTypeScript,
  refuseLeftDecorators,
  transformTypeScript,
} from './transform-typescript.js'

// Node's module hooks: they run the project's TypeScript directly, and give the command the packages of the project.

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
  const shared = parentURL?.startsWith(commandUrl) === true ? sharedPackage(specifier) : undefined
  if (shared !== undefined && (shared === DRIZZLE_ADAPTER || isInstalled(shared, projectUrl)))
    return nextResolve(specifier, { ...context, parentURL: projectUrl })
  // A configuration needs no copy of the command beside it, as when npx runs it.
  if (specifier === '@isotherm/cli') return nextResolve(new URL('dist/index.js', commandUrl).href, context)
  if (parentURL === undefined || !isTypeScript(parentURL)) return nextResolve(specifier, context)
  return nextResolve(findTypeScript(specifier, fileURLToPath(parentURL)) ?? specifier, context)
}

export const load: LoadHook = (url, context, nextLoad) => {
  if (!isTypeScript(url)) {
    if (isJavaScriptOfProject(url)) {
      const path = fileURLToPath(url)
      refuseLeftDecorators(readFileSync(path, 'utf8'), path)
    }
    return nextLoad(url, context)
  }
  const path = fileURLToPath(url)
  return {
    format: 'module',
    source: transformTypeScript(readFileSync(path, 'utf8'), path),
    shortCircuit: true,
  }
}

function isJavaScriptOfProject(url: string): boolean {
  return (
    /^file:.*\.[cm]?js$/.test(url.replace(/[?#].*$/, '')) &&
    !url.includes('/node_modules/') &&
    !url.startsWith(settings.commandUrl)
  )
}

/** Where an import of the project looks. (`require` would look into NODE_PATH too, which pnpm sets for its commands.) */
function isInstalled(name: string, projectUrl: string): boolean {
  const isIn = (folder: URL): boolean => {
    if (existsSync(new URL(`node_modules/${name}/package.json`, folder))) return true
    const above = new URL('..', folder)
    return above.href !== folder.href && isIn(above)
  }
  return isIn(new URL('.', projectUrl))
}
