import type { ReadOptions } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { commitOptions, served, tagged } from '../../src/driver/requests.js'
import { refusal } from '../../../core/test/support/refusal.js'

describe('the options of a read', () => {
  const cases: readonly (readonly [ReadOptions, object])[] = [
    [{}, {}],
    [{ priority: 'low' }, { requestOptions: { priority: 'PRIORITY_LOW' } }],
    [
      { priority: 'medium', tag: 'report' },
      { requestOptions: { priority: 'PRIORITY_MEDIUM', requestTag: 'report' } },
    ],
    [
      { directedReads: { include: [{ location: 'us-east1', type: 'read-only' }] } },
      {
        directedReadOptions: {
          includeReplicas: {
            replicaSelections: [{ location: 'us-east1', type: 'READ_ONLY' }],
            autoFailoverDisabled: false,
          },
        },
      },
    ],
    [
      { directedReads: { include: [{ location: 'us-east1' }], failover: false } },
      {
        directedReadOptions: {
          includeReplicas: { replicaSelections: [{ location: 'us-east1' }], autoFailoverDisabled: true },
        },
      },
    ],
    [
      { directedReads: { exclude: [{ type: 'read-write' }] } },
      { directedReadOptions: { excludeReplicas: { replicaSelections: [{ type: 'READ_WRITE' }] } } },
    ],
  ]

  it.each(cases)('served() converts the read options %j to the request options %j', (options, request) => {
    expect(served(options)).toStrictEqual(request)
  })

  it.each(['urgent', '', 'toString'])(
    'served() and commitOptions() reject the priority %j with INVALID_VALUE',
    (priority) => {
      for (const options of [served, commitOptions]) {
        const error = refusal(() => options({ priority: priority as never }))
        expect(error).toMatchObject({ code: 'INVALID_VALUE', fix: 'Use one of low, medium, high.' })
      }
    },
  )
})

describe('the options of a transaction', () => {
  it('tagged() sets the transaction tag, and commitOptions() sets the priority of the commit', () => {
    expect(tagged({ tag: 'import' })).toStrictEqual({ requestOptions: { transactionTag: 'import' } })
    expect(tagged({ priority: 'low' })).toStrictEqual({})
    expect(commitOptions({ tag: 'import' })).toStrictEqual({})
    expect(commitOptions({ priority: 'high' })).toStrictEqual({
      requestOptions: { priority: 'PRIORITY_HIGH' },
    })
  })
})
