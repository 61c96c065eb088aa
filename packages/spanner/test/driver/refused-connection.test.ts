import { describe, expect, it, vi } from 'vitest'
import { translate } from '../../src/driver/errors.js'

describe('translate() with a refused connection', () => {
  const refused = Object.assign(new Error('14 UNAVAILABLE: No connection established.'), {
    code: 14,
    details:
      'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:9010. Resolution note: ',
  })

  it('names the host, and SPANNER_EMULATOR_HOST when the variable names the host', () => {
    vi.stubEnv('SPANNER_EMULATOR_HOST', undefined)
    expect(translate(refused)).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      cause: refused,
      message: expect.stringMatching(
        /^Connections to 127\.0\.0\.1:9010 are refused \(ECONNREFUSED\)\. Check/,
      ),
    })
    vi.stubEnv('SPANNER_EMULATOR_HOST', '127.0.0.1:9010')
    expect(translate(refused)).toMatchObject({
      message: expect.stringContaining('(ECONNREFUSED), which SPANNER_EMULATOR_HOST names.'),
    })
    vi.unstubAllEnvs()
  })
})
