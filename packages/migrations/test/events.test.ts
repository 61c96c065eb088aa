import { expect, it, vi } from 'vitest'
import { guarded } from '../src/run/events.js'

it('guarded() reports an error of an onProgress listener as a warning and does not throw', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const listener = guarded(() => {
    throw new Error('No terminal.')
  })
  listener({ type: 'migration-finished', migration: 'first', milliseconds: 1 })
  expect(warned.mock.calls).toEqual([
    [
      'onProgress of a migration failed: Error: No terminal.',
      { type: 'IsothermListenerWarning', detail: expect.stringContaining('events.test') },
    ],
  ])
})
