import type { CqlTarget, DialectName, Driver } from '@isotherm/core'
import { dialectOf, type Project } from './project.js'

/** What a database is spoken to in. */
export interface Language {
  readonly dialect: DialectName
  /** Whose CQL; of `cql` alone. */
  readonly target?: CqlTarget
}

/** @throws {CommandError} where nothing says which dialect is meant. */
export function languageOf(project: Project): Language {
  const { target } = project.settings
  return { dialect: dialectOf(project), ...(target && { target }) }
}

export function languageOfDriver({ dialect, target }: Driver): Language {
  return { dialect, ...(target && { target }) }
}
