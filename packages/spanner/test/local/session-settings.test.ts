import { expect, it } from 'vitest'
import { applySessionSettings } from '../../src/local/spanner-client.js'

it('turns multiplexed sessions and the search for a metadata server off', () => {
  const environment: NodeJS.ProcessEnv = {}
  applySessionSettings(environment)
  expect(environment).toEqual({
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'false',
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_PARTITIONED_OPS: 'false',
    GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW: 'false',
    METADATA_SERVER_DETECTION: 'none',
  })
})

it('leaves what is set as it is', () => {
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
