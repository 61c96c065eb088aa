import { IsothermError } from '../../errors.js'

/** For a folder, a file or a statement that is not what it should be. */
export function invalid(where: string, what: string, fix: string): IsothermError {
  return new IsothermError('MIGRATION_INVALID', `${where} ${what}`, { fix })
}
