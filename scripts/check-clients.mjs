// Type-checks the driver of Spanner against the oldest and the newest client of Google that it is for: each is installed from its
// lockfile in `test/clients`.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const clients = join(root, 'test/clients')
for (const version of readdirSync(clients)) {
  const cwd = join(clients, version)
  const install = [
    'ci',
    '--ignore-scripts',
    '--loglevel=error',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ]
  execFileSync('npm', install, { cwd, stdio: 'inherit' })
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', cwd], { stdio: 'inherit' })
  console.log(`The driver of Spanner has the types of client ${version}.`)
}
