// Writes the lockfile that tests of the packed packages install from (`test/cli/support/installation`): after a change of what a package
// depends on.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const locked = join(root, 'test/cli/support/installation')
const folder = mkdtempSync(join(tmpdir(), 'isotherm-lock-'))
try {
  const manifest = JSON.parse(readFileSync(join(locked, 'package.json'), 'utf8'))
  const { dependencies } = manifest
  for (const name of Object.keys(dependencies).filter((each) => each.startsWith('@isotherm/')))
    execFileSync('npx', ['-y', 'pnpm@12', 'pack', '--pack-destination', join(folder, 'packed')], {
      cwd: join(root, name.replace('@isotherm', 'packages')),
      stdio: 'inherit',
    })
  for (const file of readdirSync(join(folder, 'packed')))
    dependencies[file.replace(/^isotherm-(.+)-\d.*$/, '@isotherm/$1')] = `file:packed/${file}`
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`
  for (const directory of [locked, folder]) writeFileSync(join(directory, 'package.json'), text)
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
    cwd: folder,
    stdio: 'inherit',
  })
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  // Ours are packed anew each time.
  for (const each of Object.values(lock.packages))
    if (each.resolved?.startsWith('file:')) delete each.integrity
  writeFileSync(join(locked, 'package-lock.json'), `${JSON.stringify(lock, undefined, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
