import { readFileSync } from 'node:fs'
import { npmVersion } from 'drizzle-orm/version'
import { expect, test } from 'vitest'

test('Drizzle is the version that these tests are said to run on', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  expect(npmVersion).toBe(process.env['DRIZZLE_VERSION'] ?? manifest.devDependencies['drizzle-orm'])
})
