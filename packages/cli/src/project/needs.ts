import type { Dialect, SqlDialect } from '@isotherm/core'
import type { LocalEngine, LocalOptions } from '@isotherm/core/command'
import { CommandError } from '../command-error.js'
import { engineOf } from '../config/engines.js'
import type { EngineEntry } from '../engines.js'

// Features that only some engines have, for the commands that need them.

/**
 * The dialect, for features that need SQL.
 *
 * @param what the subject of a sentence: `Resharding`
 * @throws {CommandError} `USAGE` for a dialect without SQL.
 */
export function withSql(dialect: Dialect, what: string, fix: string): SqlDialect {
  if (hasSql(dialect)) return dialect
  throw new CommandError('USAGE', `${what} needs SQL, which ${dialect.name} does not have.`, { fix })
}

// Core has the same function, but would have to be loaded for `--help`.
function hasSql(dialect: Dialect): dialect is SqlDialect {
  return dialect.sql !== undefined
}

/**
 * Starts the engine of a dialect on this machine.
 *
 * @param what the feature that needs it, as the subject of a sentence
 * @throws {CommandError} `USAGE` for an engine that the command cannot start.
 */
export async function startLocal(
  dialect: string,
  engines: readonly EngineEntry[],
  what: string,
  options: LocalOptions & { readonly fix?: string } = {},
): Promise<LocalEngine> {
  const { fix, ...rest } = options
  const { command } = (await engineOf(dialect, engines))!
  if (command.startLocal) return command.startLocal(rest)
  const instead = fix ?? command.withoutLocal
  throw new CommandError(
    'USAGE',
    `${what} needs a local engine, and isotherm cannot start one for ${dialect}.`,
    instead === undefined ? undefined : { fix: instead },
  )
}
