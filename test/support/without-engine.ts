import { expect, inject, it } from 'vitest'

// Stands in for the tests that need an engine, where there is none.
it("runs the tests that need this project's engine", ({ skip }) => {
  skip(inject('engineMissing'))
  expect.unreachable()
})
