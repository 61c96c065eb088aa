import { IsothermError } from '@isotherm/core'

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
