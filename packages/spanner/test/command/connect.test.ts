import { describe, expect, it } from 'vitest'
import { connect } from '../../src/command/connect.js'

describe('the address of a database', () => {
  const address = { project: 'p', instance: 'i', database: 'd', emulatorHost: '127.0.0.1:1' }

  it.each([
    [{}, '127.0.0.1:1'],
    [{ SPANNER_EMULATOR_HOST: '' }, '127.0.0.1:1'],
    [{ SPANNER_EMULATOR_HOST: '127.0.0.1:2' }, '127.0.0.1:2'],
  ])('leads with the variables %o to the emulator at %s', async (environment, host) => {
    await expect(
      connect(address, { dialect: undefined, environment, ifMissing: 'refuse' }),
    ).rejects.toMatchObject({
      name: 'CommandError',
      code: 'DATABASE',
      message: `Nothing answers at ${host}, where an emulator is meant to be.`,
    })
  })
})
