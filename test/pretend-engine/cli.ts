import type { EngineCommand } from '@isotherm/core/command'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { pretend } from './dialect.js'
import { type PretendDatabase, pretendDriver } from './driver.js'

const model = "import { defineTable } from '@isotherm/core'\n"

/** The pretend engine for the command. A database is a file, which is read when it is opened and written when it is closed. */
export const engine: EngineCommand<{ readonly file: string }> = {
  name: 'Pretend',
  dialects: {
    pretend: {
      label: 'a Map',
      load: async () => pretend,
      example: 'pretend:shop.map',
      packages: [],
      model: { path: 'models.ts', decorators: model, tables: model },
    },
  },
  address: {
    form: 'pretend:file',
    read: (text) => (text.startsWith('pretend:') ? { address: { file: text.slice(8) } } : undefined),
    parts: { file: { kind: 'text', required: true } },
  },
  async connect({ file }) {
    const database = existsSync(file) ? (deserialize(readFileSync(file)) as PretendDatabase) : new Map()
    return {
      driver: pretendDriver(database),
      description: `the pretend database ${file}`,
      [Symbol.asyncDispose]: async () => writeFileSync(file, serialize(database)),
    }
  },
}
