import { readFileSync } from 'node:fs'
import { npmVersion } from 'drizzle-orm/version'
import { expect, test } from 'vitest'

test('the installed drizzle-orm has the version of DRIZZLE_VERSION, or else of package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  expect(npmVersion).toBe(process.env['DRIZZLE_VERSION'] ?? manifest.devDependencies['drizzle-orm'])
})
