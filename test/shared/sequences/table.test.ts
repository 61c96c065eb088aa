import { compileDdl, introspect, lint } from '@isotherm/core'
import { diffSchemas } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { counted } from '@isotherm/testing/data/used-sequences'
import { engines } from '../../support/engines.js'
import { languageOf } from '../../support/languages.js'

const DDL = {
  googlesql:
    'CREATE TABLE `sequences` (\n  `name` STRING(128) NOT NULL,\n  `next_value` INT64 NOT NULL\n) PRIMARY KEY (`name`)',
  'spanner-postgresql':
    'CREATE TABLE "sequences" (\n  "name" varchar(128) NOT NULL,\n  "next_value" bigint NOT NULL,\n  PRIMARY KEY ("name")\n)',
  cql: 'CREATE TABLE "sequences" (\n  "name" text,\n  "next_value" bigint,\n  PRIMARY KEY (("name"))\n)',
} as const

describe.each(engines)('the table of sequences in $name', ({ dialect, database }) => {
  const options = { dialect }

  it('has the expected DDL, no lint findings and no difference after introspection', async () => {
    expect(compileDdl(counted, options)).toEqual([DDL[languageOf(dialect)]])
    expect(lint(counted, options)).toEqual([])
    const { db } = await database(counted)
    const live = await introspect({ driver: db.driver, dialect })
    expect(diffSchemas(live, counted, options)).toEqual({ changes: [], refusals: [] })
    expect(lint(live, options)).toEqual([])
  })
})
