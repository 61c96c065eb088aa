import { beforeAll, describe, expect, it } from 'vitest'
import { installedPackages } from '../cli/support/installation.js'
import { idOf, rows } from './rows.mjs'
import { installTools, runToolchain } from './support/toolchain.js'

// Each row of docs/reference/toolchains.md: an application of the packed packages is built by the tool, started, and inserts rows.

let folder: string

beforeAll(async () => {
  folder = await installedPackages()
})

describe.each([...new Set(rows.map(({ tools }) => tools))])('toolchains in tools/%s', (tools) => {
  beforeAll(() => installTools(tools, folder))

  const own = rows.filter((row) => row.tools === tools)
  it.each(own.map((row) => [idOf(row), row] as const))(
    'the toolchain %s builds an application that inserts rows, or fails as documented',
    async (_, row) => {
      await expect(runToolchain(row, folder)).resolves.toBeUndefined()
    },
  )
})
