import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { LoadHook, ResolveHook } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { MessagePort } from 'node:worker_threads'
import { DRIZZLE_ADAPTER, FROM, sharedPackage } from '../engines.js'
import { LoadedModules } from './loaded-modules.js'
import {
  findTypeScript,
  isTypeScript,
  refuseLeftDecorators,
  transformForRequire,
  transformTypeScript,
} from './transform-typescript.js'

// Node's module hooks: they run the project's TypeScript directly, and give the command the packages of the project.

export interface HookSettings {
  /** The folder whose packages are used. */
  readonly projectUrl: string
  /** The folder of this command. */
  readonly commandUrl: string
  /** For `LoadedModules`, in a thread of its own. */
  readonly loadedModules?: MessagePort
}

let settings: HookSettings = { projectUrl: '', commandUrl: '' }
let loadedModules: LoadedModules | undefined

export function initialize(hookSettings: HookSettings): void {
  settings = hookSettings
  loadedModules = hookSettings.loadedModules && new LoadedModules(hookSettings.loadedModules)
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
  if (specifier === '@isotherm/cli')
    return { url: new URL('dist/index.js', commandUrl).href, shortCircuit: true }
  if (parentURL === undefined || !isTypeScript(parentURL)) return nextResolve(specifier, context)
  const path = fileURLToPath(parentURL)
  const found = findTypeScript(specifier, path)
  if (found === undefined) return nextResolve(specifier, context)
  const url = pathToFileURL(realpathSync(found)).href
  const isOfBundler =
    found.endsWith('.json') && context.conditions.includes('import') && !('type' in context.importAttributes)
  return { url: isOfBundler ? url + JSON_MODULE : url, shortCircuit: true }
}

/** Marks JSON that is imported without an attribute: a bundler makes a module of it, with a name for each of its keys. */
const JSON_MODULE = '?module'

export const load: LoadHook = (url, context, nextLoad) => {
  const path = url.startsWith('file:') ? fileURLToPath(url) : ''
  if (url.endsWith(`.json${JSON_MODULE}`))
    return { format: 'module', source: moduleOfJson(readFileSync(path, 'utf8')), shortCircuit: true }
  if (!isTypeScript(url)) {
    if (isJavaScriptOfProject(url)) refuseLeftDecorators(readFileSync(path, 'utf8'), path)
    return nextLoad(url, context)
  }
  const text = readFileSync(path, 'utf8')
  const { code, format } = transformTypeScript(text, path)
  if (format === 'commonjs')
    return { format, source: FROM_REQUIRE + code + namesOfStars(code, path), shortCircuit: true }
  if (loadedModules?.hasOther(path) === true)
    return { format, source: moduleOfRequired(transformForRequire(text, path), path), shortCircuit: true }
  loadedModules?.add(path)
  return { format, source: code, shortCircuit: true }
}

/**
 * Before the code of a CommonJS module, in which Node only looks for the names of its exports: the module is what `require`
 * gives, so that there is one of it.
 */
const FROM_REQUIRE =
  "return void (module.exports = process.getBuiltinModule('module').createRequire(__filename)(__filename));"

function moduleOfJson(text: string): string {
  const value = JSON.parse(text) as unknown
  const names = Object.keys(value ?? {}).filter(
    (name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default',
  )
  return `${moduleOf(JSON.stringify(value), names)}\nexport default value`
}

/** An ES module of what `require` has loaded of one. */
function moduleOfRequired(code: string, path: string): string {
  const loaded = `createRequire(import.meta.url)(${JSON.stringify(path)})`
  const stars = [...code.matchAll(STAR)].map(([, specifier]) => `\nexport * from "${specifier}"`)
  return `import { createRequire } from 'node:module'\n${moduleOf(loaded, ownNames(code))}${stars.join('')}`
}

function moduleOf(value: string, names: readonly string[]): string {
  const declared = names.map((name, at) => `const _${at} = value[${JSON.stringify(name)}]\n`)
  const exported = names.map((name, at) => `_${at} as ${JSON.stringify(name)}`)
  return `const value = ${value}\n${declared.join('')}export { ${exported.join(', ')} }`
}

/** What `export *` brings from other TypeScript, as the code says its own names: Node looks only into JavaScript for it. */
function namesOfStars(code: string, path: string): string {
  const names = starsOf(code, path, new Set([path]))
  return names.length === 0
    ? ''
    : `\n0 && (module.exports = {${names.map((name) => `${JSON.stringify(name)}: null`).join(', ')}});`
}

/** How the transformer writes `export *` in CommonJS. */
const STAR = /^_export_star\(require\("(.*)"\), exports\);$/gm

function starsOf(code: string, path: string, seen: Set<string>): readonly string[] {
  return [...code.matchAll(STAR)].flatMap(([, specifier = '']) => {
    const found = findTypeScript(specifier, path)
    if (found === undefined || seen.has(found) || !isTypeScript(pathToFileURL(found).href)) return []
    seen.add(found)
    const { code: inner } = transformTypeScript(readFileSync(found, 'utf8'), found)
    return [...ownNames(inner).filter((name) => name !== 'default'), ...starsOf(inner, found, seen)]
  })
}

/** The names of the exports that a compiled module has itself: the transformer lists them if there are several. */
function ownNames(code: string): readonly string[] {
  const [, listed] = /^0 && \(module\.exports = \{([^}]*)\}\);$/m.exec(code) ?? []
  const names =
    listed === undefined
      ? code.matchAll(/^Object\.defineProperty\(exports, "(.+?)", \{$/gm)
      : listed.matchAll(/^\s*"?(.+?)"?: null,?$/gm)
  return [...names].map(([, name = '']) => name).filter((name) => name !== '__esModule')
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
