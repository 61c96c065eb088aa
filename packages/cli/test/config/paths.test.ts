import { expect, it } from 'vitest'
import { portableGlob, portablePath } from '../../src/config/paths.js'

it.each([
  ['src\\models\\*.ts', 'src/models/*.ts'],
  ['.\\src\\**\\*.ts', './src/**/*.ts'],
  ['src\\models\\?rder.ts', 'src/models/?rder.ts'],
  ['src\\@types\\*.ts', 'src/@types/*.ts'],
  ['src/models/*.ts', 'src/models/*.ts'],
  ['app/\\[id\\]/\\(shop\\)/\\{a\\}.ts', 'app/\\[id\\]/\\(shop\\)/\\{a\\}.ts'],
  ['src\\{models,tables}\\*.ts', 'src\\{models,tables}/*.ts'],
])('portableGlob() converts the glob %s to %s', (glob, portable) => {
  expect(portableGlob(glob)).toBe(portable)
})

it('portablePath() converts backslashes to slashes and keeps slashes', () => {
  expect(portablePath('.\\db\\migrations/next')).toBe('./db/migrations/next')
})
