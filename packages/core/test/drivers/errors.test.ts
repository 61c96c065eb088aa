import { describe, expect, it } from 'vitest'
import { translate } from '../../src/drivers/spanner/errors.js'

describe('an error of the client', () => {
  it('passes where the emulator lets a schema change wait for nobody', () => {
    const busy = Object.assign(
      new Error(
        'Schema change operation rejected because a concurrent schema change operation or read-write transaction is already in progress.',
      ),
      { code: 9 },
    )
    expect(translate(busy)).toMatchObject({ code: 'ABORTED', transient: true })
    const refused = Object.assign(new Error('Duplicate name in schema: a.'), { code: 9 })
    expect(translate(refused)).toMatchObject({ code: 'CONSTRAINT', transient: false })
  })
})
