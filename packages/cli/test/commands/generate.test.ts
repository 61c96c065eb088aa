import { expect, it } from 'vitest'
import { generate } from '../../src/commands/generate.js'
import { silentOutput } from '../support/silent-output.js'

type Options = Parameters<typeof generate.run>[0]['options']

it.each<[string, readonly string[], Options, string]>([
  ['a name', ['later'], { reshard: 'Log' }, '--reshard and the name "later"'],
  ['--custom', [], { reshard: 'Log', custom: true }, '--reshard and --custom'],
  ['--rename', [], { reshard: 'Log', rename: ['Log.a:b'] }, '--reshard and --rename'],
  ['--allow-data-loss', [], { reshard: 'Log', allowDataLoss: true }, '--reshard and --allow-data-loss'],
  ['--rename', ['later'], { custom: true, rename: ['Log.a:b'] }, '--custom and --rename'],
  ['--allow-data-loss', ['later'], { custom: true, allowDataLoss: true }, '--custom and --allow-data-loss'],
])('isotherm generate refuses %s, with %j and %j, which it would ignore', async (_, args, options, both) => {
  const generated = generate.run({
    args,
    options,
    output: silentOutput,
    // A folder without a configuration: the options are refused before it is read.
    directory: import.meta.dirname,
    environment: {},
    signal: new AbortController().signal,
  })
  await expect(generated).rejects.toMatchObject({
    code: 'USAGE',
    message: `${both} cannot be given together.`,
  })
})
