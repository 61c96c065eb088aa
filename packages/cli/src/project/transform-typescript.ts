import { stripVTControlCharacters } from 'node:util'
import { transformSync, type Options } from '@swc/core'
import { tsconfigOf } from './tsconfig.js'

/** JavaScript of a TypeScript module, decorators compiled in the mode that its tsconfig.json asks for. */
export function transformTypeScript(source: string, path: string): string {
  const compilerOptions = tsconfigOf(path)?.config.compilerOptions ?? {}
  try {
    return transformSync(source, swcOptions(path, compilerOptions)).code
  } catch (cause) {
    // Below its own words stands where in its own code it said them.
    const [said = ''] = stripVTControlCharacters((cause as Error).message).split('\n\nCaused by:')
    throw new SyntaxError(`${path} is not TypeScript:\n${said.trim()}`, { cause })
  }
}

interface CompilerOptions {
  readonly experimentalDecorators?: boolean
  readonly emitDecoratorMetadata?: boolean
  readonly useDefineForClassFields?: boolean
  readonly verbatimModuleSyntax?: boolean
  readonly target?: string
}

function swcOptions(path: string, compilerOptions: CompilerOptions): Options {
  const legacy = compilerOptions.experimentalDecorators === true
  return {
    filename: path,
    swcrc: false,
    configFile: false,
    isModule: true,
    sourceMaps: 'inline',
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true, tsx: path.endsWith('x') },
      // Messages name the class of a model.
      keepClassNames: true,
      transform: {
        useDefineForClassFields:
          compilerOptions.useDefineForClassFields ?? definesFields(compilerOptions.target),
        verbatimModuleSyntax: compilerOptions.verbatimModuleSyntax ?? false,
        ...(legacy
          ? { legacyDecorator: true, decoratorMetadata: compilerOptions.emitDecoratorMetadata === true }
          : { decoratorVersion: '2023-11' }),
      },
    },
  }
}

/** As the compiler does by default: from the year in which JavaScript got fields. */
function definesFields(target: string | undefined): boolean {
  if (target === undefined) return true
  const year = /^es(\d{4})$/i.exec(target)?.[1]
  return year === undefined ? /^esnext$/i.test(target) : Number(year) >= 2022
}
