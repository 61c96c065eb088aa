import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atEndOfFile } from '../../support/end-of-file.js'

const call = promisify(execFile)
const LOCKED = fileURLToPath(new URL('../compilers/', import.meta.url))

/** The versions of TypeScript in `test/packages/compilers`: the oldest that the documentation names, the newest, and some between. */
export type TypeScript = '5.2' | '5.4' | '5.9' | '7.0'

/** Installs them, from their lockfile. @returns the path of each version's compiler */
export async function installedCompilers(): Promise<(version: TypeScript) => string> {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-compilers-'))
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(LOCKED, file), join(folder, file))
  await call('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder })
  return (version) => join(folder, `node_modules/typescript-${version}/bin/tsc`)
}
