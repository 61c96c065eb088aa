import { compileDdl, defineSchema } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import { Customer, Picture, Profile } from '@isotherm/testing/data/one-child'
import { describe, expect, it } from 'vitest'
import { engines } from '../../support/engines.js'

const SMALL = { 'cassandra/low-cardinality-partition': 'off' } as const

describe.each(engines)('an interleaved table with no key part of its own, in $name', ({ dialect }) => {
  it('is created by a schema diff and by the DDL', () => {
    const [before, after] = [defineSchema([Customer]), defineSchema([Customer, Profile, Picture])]
    const changes = diffSchemas(before, after, { dialect })
    expect(JSON.stringify(changes)).toContain('Profile')
    expect(compileDdl(after, { dialect, severity: SMALL }).join('\n')).toContain('Profile')
  })
})
