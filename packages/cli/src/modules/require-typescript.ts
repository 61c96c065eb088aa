import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { FROM } from '../engines.js'
import type { LoadedModules } from './loaded-modules.js'
import {
  findTypeScript,
  isTypeScript,
  transformForRequire,
  transformTypeScript,
} from './transform-typescript.js'

interface CommonJsModule {
  require: (specifier: string) => unknown
  _compile(code: string, path: string, format: 'commonjs' | 'module'): void
}

type Extensions = Record<string, (module: CommonJsModule, path: string) => void>

/**
 * Lets `require` load TypeScript. Node's hooks for `import` do not reach it before Node 22.15, and in Node 22 they give an
 * imported CommonJS module another `require`, which cannot load every ES module. `require.extensions` is the same in all;
 * `_compile` is what its users call.
 *
 * @param loadedModules if the hooks for `import` do not reach `require`
 */
export function requireTypeScript(commandUrl: string, loadedModules?: LoadedModules): void {
  const { extensions } = nodeModule.createRequire(import.meta.url) as unknown as {
    readonly extensions: Extensions
  }
  for (const ending of ['.ts', '.tsx', '.cts', '.mts']) {
    extensions[ending] = (module, path) => {
      const source = readFileSync(path, 'utf8')
      const { code, format } = transformTypeScript(source, path)
      const find = requireOf(module, path, commandUrl)
      // Node gives the module that `import` has loaded.
      const asCommonJs = format === 'module' && loadedModules !== undefined && !loadedModules.hasOther(path)
      if (asCommonJs) loadedModules.add(path)
      module.require = asCommonJs ? (specifier) => asImported(find(specifier), specifier, path) : find
      if (asCommonJs) module._compile(transformForRequire(source, path), path, 'commonjs')
      else module._compile(code, path, format)
    }
  }
}

/** The `require` of a TypeScript module, which finds what its compiler would. */
function requireOf(module: CommonJsModule, path: string, commandUrl: string): (specifier: string) => unknown {
  const ofNode = module.require.bind(module)
  return (specifier) => {
    if (specifier === '@isotherm/cli') return ofNode(fileURLToPath(new URL('dist/index.js', commandUrl)))
    try {
      return ofNode(findTypeScript(specifier, path) ?? specifier)
    } catch (error) {
      // A package that exports itself to `import` only, which a bundler takes: Node can require the ES module.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error
      return ofNode(fileURLToPath(import.meta.resolve(`${FROM}${pathToFileURL(path).href}#${specifier}`)))
    }
  }
}

/** What an ES module sees of a CommonJS module that a compiler made: all of it as the default export. */
function asImported(exported: unknown, specifier: string, path: string): unknown {
  const isCompiled = typeof exported === 'object' && exported !== null && '__esModule' in exported
  if (!isCompiled || types.isModuleNamespaceObject(exported)) return exported
  const found = findTypeScript(specifier, path)
  const isOfEsModule =
    found !== undefined &&
    isTypeScript(pathToFileURL(found).href) &&
    transformTypeScript(readFileSync(found, 'utf8'), found).format === 'module'
  return isOfEsModule ? exported : { ...exported, default: exported, __esModule: true }
}
