import { defineSchema, IsothermError, SchemaError, type SchemaFinding } from '@isotherm/core'

/** The `IsothermError` that `work` throws; any other error passes through, and none is an error itself. */
export function refusal(work: () => unknown): IsothermError {
  try {
    work()
  } catch (error) {
    if (error instanceof IsothermError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

/** Everything that `defineSchema` finds wrong with these models. */
export function findingsOf(...models: readonly object[]): readonly SchemaFinding[] {
  const error = refusal(() => defineSchema(models))
  if (error instanceof SchemaError) return error.findings
  throw error
}
