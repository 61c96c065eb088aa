import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { atEndOfFile } from '../support/end-of-file.js'
import { idOf, rows } from './rows.mjs'
import { runToolchain } from './support/toolchain.js'

// The tools of most applications, in the versions of this repository: fast enough for every change. The packages are the local
// build; `toolchains.test.ts` installs the packed packages.

const main = rows.filter(({ isMain }) => isMain)
const folder = mkdtempSync(join(tmpdir(), 'isotherm-toolchains-'))
atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
for (const name of new Set(main.map(({ tools }) => tools))) {
  mkdirSync(join(folder, name))
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(folder, name, 'node_modules'),
  )
}

it.each(main.map((row) => [idOf(row), row] as const))(
  'the toolchain %s builds an application that inserts rows, or fails as documented',
  async (_, row) => {
    await expect(runToolchain(row, folder)).resolves.toBeUndefined()
  },
)

it('the documentation contains every toolchain in rows.mjs', () => {
  const script = fileURLToPath(new URL('../../scripts/write-toolchains.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
