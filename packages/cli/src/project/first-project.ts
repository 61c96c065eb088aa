import type { EngineCommand, EngineDialect } from '@isotherm/core/command'
import { dirname } from 'node:path'
import { DRIZZLE_MODELS, DRIZZLE_PACKAGES, drizzleModel } from './drizzle.js'
import { isCommonJs } from './installed.js'

// The files that a project begins with.

/** How models are written: classes, `defineTable`, or Drizzle tables. */
export const modelStyles = ['decorators', 'tables', 'drizzle'] as const

export type ModelStyle = (typeof modelStyles)[number]

export interface FirstProject {
  readonly dialect: string
  readonly database: string
  readonly style: ModelStyle
}

export interface FirstFile {
  readonly path: string
  readonly text: string
}

/**
 * Where the configuration is written: as an ES module also in a CommonJS package, where TypeScript before 5.8, and every version
 * under `"module": "node16"`, refuses to import the command (TS1479).
 */
export function configPathIn(directory: string): string {
  return isCommonJs(directory) ? 'isotherm.config.mts' : 'isotherm.config.ts'
}

/** The configuration, and a first model. */
export function firstFiles(
  project: FirstProject,
  { model }: EngineDialect,
  configPath: string,
): readonly FirstFile[] {
  const { style, dialect } = project
  const file: FirstFile =
    style === 'drizzle'
      ? { path: DRIZZLE_MODELS, text: drizzleModel(dialect)! }
      : { path: model.path, text: model[style] }
  const glob = style === 'drizzle' ? `./${file.path}` : `./${dirname(file.path)}/*.ts`
  return [{ path: configPath, text: configText(project, glob) }, file]
}

/** The packages that the project runs with, apart from the command itself. */
export function packagesOf(
  { style, dialect, database }: FirstProject,
  { address, dialects }: EngineCommand,
): readonly string[] {
  const read = address.read(database)
  const own = read && 'address' in read ? address.packages?.(read.address) : undefined
  return [
    '@isotherm/core',
    ...dialects[dialect]!.packages,
    ...(own ?? []),
    ...(style === 'drizzle' ? DRIZZLE_PACKAGES : []),
  ]
}

function configText({ dialect, database }: FirstProject, glob: string): string {
  return `import { defineConfig } from '@isotherm/cli'

export default defineConfig({
  dialect: '${dialect}',
  schema: '${glob}',
  out: './migrations',
  database: ${quoted(database)},
})
`
}

/** As a literal of TypeScript, whatever is in it. */
function quoted(text: string): string {
  return /['\\\p{Cc}]/u.test(text) ? JSON.stringify(text) : `'${text}'`
}
