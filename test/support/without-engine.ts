import { expect, inject, it } from 'vitest'

// Stands in for the tests that need an engine, where there is none.
it('the tests that need a Spanner engine', ({ skip }) => {
  skip(inject('engineMissing'))
  expect.unreachable()
})
