import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'

const call = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
/** For what hangs. */
const LIMIT_MS = 600_000
const LOCKED = fileURLToPath(new URL('installation/', import.meta.url))

/**
 * A folder whose `node_modules` has the packages as users get them: packed, and installed by npm. Made by the first test file
 * that asks for it; the others wait.
 */
export async function installedPackages(): Promise<string> {
  const folder = inject('installation')
  const done = join(folder, 'installed')
  // Made once and never taken away: who makes it installs.
  const isFirst = await mkdir(join(folder, 'underway')).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    try {
      await install(folder)
      await writeFile(done, '')
    } catch (error) {
      await writeFile(join(folder, 'failed'), String(error))
      throw error
    }
  }
  const end = Date.now() + LIMIT_MS
  while (!existsSync(done)) {
    if (existsSync(join(folder, 'failed')) || Date.now() > end)
      throw new Error('The packages were not installed.')
    await delay(100)
  }
  return folder
}

async function install(folder: string): Promise<void> {
  await call(
    join(root, 'node_modules/.bin/tsc'),
    ['-b', 'packages/cli', 'packages/drizzle-adapter', 'packages/postgresql'],
    {
      cwd: root,
    },
  ).catch(({ stdout }: { stdout: string }) => {
    throw new Error(`The packages cannot be built:\n${stdout}`)
  })
  const packed = join(folder, 'packed')
  await mkdir(packed)
  const { npm_execpath: runner = '' } = process.env
  const [pnpm, ...words] = runner.includes('pnpm') ? [runner] : ['npx', '-y', 'pnpm@12']
  for (const name of ['core', 'spanner', 'cassandra', 'postgresql', 'migrations', 'cli', 'drizzle-adapter'])
    await call(pnpm!, [...words, 'pack', '--pack-destination', packed], {
      cwd: join(root, 'packages', name),
    })
  await copyFile(join(LOCKED, 'package.json'), join(folder, 'package.json'))
  // The deep suite takes what npm gives today, as a user does. Otherwise it is the same each time.
  const isDeep = process.env['ISOTHERM_DEEP'] !== undefined
  if (!isDeep) await copyFile(join(LOCKED, 'package-lock.json'), join(folder, 'package-lock.json'))
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  const npm = (...words: readonly string[]) => call('npm', words, { cwd: folder })
  try {
    await npm(isDeep ? 'install' : 'ci', ...options)
    await npm('ls')
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(
      `The packages cannot be installed. After a change of what they depend on: node scripts/write-installation-lock.mjs\n${stdout}${stderr}`,
      { cause: error },
    )
  }
}

/** The packed file of each of these packages, of which `npm install` may be given some. */
export async function packedPackages(...names: readonly string[]): Promise<string[]> {
  const packed = join(await installedPackages(), 'packed')
  const files = await readdir(packed)
  return names.map((name) =>
    join(
      packed,
      files.find((file) => file.startsWith(`isotherm-${name}-`))!,
    ),
  )
}

/** As in the workspace: what is tested here is not a newer one. */
export async function versionOf(name: string): Promise<string> {
  const { default: manifest } = (await import(join(root, 'node_modules', name, 'package.json'), {
    with: { type: 'json' },
  })) as { default: { version: string } }
  return manifest.version
}
