import { describe, expect, it } from 'vitest'
import { connect } from '../../src/command/connect.js'

describe('connect()', () => {
  const address = { project: 'p', instance: 'i', database: 'd', emulatorHost: '127.0.0.1:1' }

  it.each([
    [{}, '127.0.0.1:1'],
    [{ SPANNER_EMULATOR_HOST: '' }, '127.0.0.1:1'],
    [{ SPANNER_EMULATOR_HOST: '127.0.0.1:2' }, '127.0.0.1:2'],
  ])('reports with the variables %o that no emulator answers at %s', async (environment, host) => {
    await expect(
      connect(address, { dialect: undefined, environment, ifMissing: 'refuse' }),
    ).rejects.toMatchObject({
      name: 'CommandError',
      code: 'DATABASE',
      message: `No emulator answers at ${host}.`,
    })
  })
})
