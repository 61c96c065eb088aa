import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atEndOfFile } from '../../support/end-of-file.js'

const call = promisify(execFile)

/** Installs a version of Node.js for these tests only. @returns the path of its binary */
export async function installedNode(version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-node-'))
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--prefix', folder]
  await call('npm', ['install', ...options, `node@${version}`], { cwd: folder })
  return join(folder, 'node_modules/node/bin/node')
}
