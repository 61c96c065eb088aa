import { expect, it } from 'vitest'
import { applySessionSettings } from '../../src/local/spanner-client.js'

it('applySessionSettings() turns off multiplexed sessions and the detection of a metadata server', () => {
  const environment: NodeJS.ProcessEnv = {}
  applySessionSettings(environment)
  expect(environment).toEqual({
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'false',
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_PARTITIONED_OPS: 'false',
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW: 'false',
    METADATA_SERVER_DETECTION: 'none',
  })
})

it('applySessionSettings() keeps variables that are already set', () => {
  const environment: NodeJS.ProcessEnv = {
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'true',
    METADATA_SERVER_DETECTION: 'ping-only',
  }
  applySessionSettings(environment)
  expect(environment).toMatchObject({
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'true',
    METADATA_SERVER_DETECTION: 'ping-only',
  })
})
