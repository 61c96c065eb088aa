import { expect, it } from 'vitest'
import { explain } from '../../src/commands/explain.js'
import { silentOutput } from '../support/silent-output.js'

it('isotherm explain refuses --live with --schema, whose models it would not read', async () => {
  const explained = explain.run({
    args: ['Log'],
    options: { live: true, schema: ['models.ts'] },
    output: silentOutput,
    directory: import.meta.dirname,
    environment: {},
    signal: new AbortController().signal,
  })
  await expect(explained).rejects.toMatchObject({
    code: 'USAGE',
    message: '--live and --schema cannot be given together.',
  })
})
