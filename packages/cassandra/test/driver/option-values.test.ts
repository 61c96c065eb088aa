import { describe, expect, it } from 'vitest'
import { cassandraCapabilities } from '../../src/cql/capabilities.js'
import { optionValues } from '../../src/driver/driver.js'

const check = (writeTime: bigint) => () =>
  optionValues('Cassandra', cassandraCapabilities).checkWrite('upsert', { writeTime })

describe('checkWrite()', () => {
  it.each([-(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 63n])('rejects the writeTime %s', (writeTime) => {
    expect(check(writeTime)).toThrow(
      expect.objectContaining({ code: 'INVALID_VALUE', message: expect.stringContaining(String(writeTime)) }),
    )
  })

  it.each([-(2n ** 63n) + 1n, 0n, 2n ** 63n - 1n])('accepts the writeTime %s', (writeTime) => {
    expect(check(writeTime)).not.toThrow()
  })
})
