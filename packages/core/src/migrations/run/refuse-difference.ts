import { IsothermError } from '../../errors.js'
import { excerpt } from '../files/statement-start.js'
import { invalid } from '../files/invalid.js'
import type { MigrationProgress } from './progress.js'

/** @throws {IsothermError} `MIGRATION_CHANGED` for what has run and is not in the folder as it was. */
export function refuseDifference(progress: MigrationProgress): void {
  const { name, state, changed, migration, statements } = progress
  if (state === 'missing') throw missing(progress)
  if (state !== 'changed') return
  const now = migration!.statements[changed! - 1]
  const what = !now
    ? `its statement ${changed} is gone`
    : statements.has(changed!)
      ? `its statement ${changed} is not the one that ran: ${excerpt(now.sql)}`
      : `statement ${changed} was added: ${excerpt(now.sql)}`
  throw new IsothermError('MIGRATION_CHANGED', `${name} was edited after it had run: ${what}.`, {
    fix: 'Take it from version control as it was, and put what is new into a migration of its own.',
  })
}

function missing({ name, whole, statements, done }: MigrationProgress): IsothermError {
  const fix = 'Take it from version control, or give the folder that belongs to this database.'
  const isWhole = whole === undefined || whole.state === 'done'
  if (isWhole) {
    const what = `${name} has run on this database, and is not in the folder.`
    return new IsothermError('MIGRATION_CHANGED', what, { fix })
  }
  const next = statements.get(done + 1)?.state === 'started' ? ', and the next was begun' : ''
  return new IsothermError(
    'MIGRATION_CHANGED',
    `${name} has run in part on this database (${done} of ${whole.rows ?? 0} statements${next}), and is not in the folder.`,
    {
      fix: `${fix} Where it is lost, undo by hand what ran, then delete its rows from the table of the history.`,
    },
  )
}

/**
 * Once it had run, nobody could fill it any more.
 *
 * @throws {IsothermError} `MIGRATION_INVALID` for a migration that nobody has written yet.
 */
export function refuseEmpty({ name, state }: MigrationProgress): void {
  if (state !== 'empty') return
  throw invalid(name, 'has no statements.', 'Write its migration.sql, or delete its folder.')
}
