import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const packages = fileURLToPath(new URL('../../', import.meta.url))
const alias = {
  '@isotherm/core': join(packages, 'core/src/index.ts'),
  '@isotherm/core/engine': join(packages, 'core/src/for-engines.ts'),
  '@isotherm/core/tools': join(packages, 'core/src/for-tools.ts'),
  '@isotherm/spanner': join(packages, 'spanner/src/index.ts'),
  '@isotherm/cassandra': join(packages, 'cassandra/src/index.ts'),
}

async function bundle(application: string) {
  const { metafile } = await build({
    absWorkingDir: packages,
    stdin: { contents: application, resolveDir: join(packages, 'core') },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    external: ['@google-cloud/spanner', 'cassandra-driver'],
    alias,
    logLevel: 'error',
  })
  return Object.values(metafile.outputs)
}

/** What a bundler leaves of an application: files below `packages` of which a byte is in the output. */
async function bundled(application: string): Promise<readonly string[]> {
  const outputs = await bundle(application)
  return outputs
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file)
}

const TOOLS =
  /^core\/src\/(ddl|lint|decorators|engine\/schema-change|sql\/ddl)\b|^spanner\/src\/(ddl|introspection|lint|[a-z]+\/tools)\/|^cassandra\/src\/(ddl|differ|lint|dialect)\//

const DATABASE = `
  import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
  const Note = defineTable('Note', (t) => ({ id: t.uuidV4() }))
  const open = (driver) => openDatabase({ driver, schema: defineSchema([Note]) })
`

describe('the bundle of an application', () => {
  it.each([
    [
      'with Spanner',
      `import { spanner } from '@isotherm/spanner'
       console.log((client) => open(spanner(client)))`,
    ],
    [
      'with Spanner and a runtime dialect',
      `import { spanner, spannerPostgresqlRuntime } from '@isotherm/spanner'
       console.log((client) => open(spanner(client, { dialect: spannerPostgresqlRuntime })))`,
    ],
    [
      'with Cassandra and a runtime dialect',
      `import { cassandra, cqlRuntime } from '@isotherm/cassandra'
       console.log((client) => open(cassandra(client, { dialect: cqlRuntime })))`,
    ],
  ])('contains no DDL, lint or introspection code of a dialect %s', async (_, use) => {
    const files = await bundled(DATABASE + use)
    expect(files).toContain('core/src/database/database.ts')
    expect(files.filter((file) => TOOLS.test(file))).toEqual([])
  })

  it('contains the tools of a dialect when the application calls compileDdl()', async () => {
    const files = await bundled(`
      import { compileDdl } from '@isotherm/core'
      import { googlesql } from '@isotherm/spanner'
      console.log((schema) => compileDdl(schema, { dialect: googlesql }))`)
    const folders = new Set(
      files.filter((file) => TOOLS.test(file)).map((file) => file.replace(/\/[^/]+$/, '')),
    )
    expect([...folders]).toEqual(
      expect.arrayContaining(['core/src/lint', 'spanner/src/introspection', 'spanner/src/googlesql/tools']),
    )
  })
})

describe('the bundle of an application that opens its database with openRows()', () => {
  const application = `
    import { defineSchema, defineTable, openRows } from '@isotherm/core'
    import { spanner } from '@isotherm/spanner'
    const Note = defineTable('Note', (t) => ({ id: t.uuidV4() }))
    const db = (client) => openRows({ driver: spanner(client), schema: defineSchema([Note]) })
    console.log(async (client) => db(client).get(Note, (await db(client).insert(Note, [{}]))[0]))`

  it('an application bundle contains no fan-out code and is smaller than 260 kB', async () => {
    const files = await bundled(application)
    expect(files).toContain('core/src/database/row-database.ts')
    expect(files.filter((file) => file.startsWith('core/src/read/'))).toEqual([])
    const [output] = await bundle(application)
    expect(output!.bytes).toBeLessThan(260_000)
  })
})
