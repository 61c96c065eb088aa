import { tiedFolder } from '@isotherm/core/local'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('remove() deletes a folder with its files, also when called twice, and keeps other folders', async () => {
  const [folder, other] = await Promise.all([tiedFolder('isotherm-test-'), tiedFolder('isotherm-test-')])
  writeFileSync(join(folder.path, 'file'), '')
  await Promise.all([folder.remove(), folder.remove()])
  await folder.remove()
  expect(existsSync(folder.path)).toBe(false)
  expect(existsSync(other.path)).toBe(true)
  await other.remove()
})
