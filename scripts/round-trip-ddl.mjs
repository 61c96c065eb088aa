#!/usr/bin/env node
// Applies every script of DDL in a folder to the emulator, reads the database, compiles what was read, applies that to a new
// database, and compares the two: their catalogues and their own DDL. Prints how many are the same, and the reason for each
// that is not.
//
//   node scripts/round-trip-ddl.mjs FOLDER [googlesql | spanner-postgresql] [--complete]
//
// With --complete, tables and other objects that a script names and nothing makes are made up: for statements out of their context.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const complete = process.argv.includes('--complete')
const [folder, dialect = 'googlesql'] = process.argv.slice(2).filter((argument) => argument !== '--complete')
if (folder === undefined) {
  process.stderr.write(
    'Give the folder: node scripts/round-trip-ddl.mjs FOLDER [googlesql | spanner-postgresql] [--complete]\n',
  )
  process.exit(2)
}
const { status } = spawnSync(
  'node_modules/.bin/vitest',
  ['run', '--project', 'spanner', 'test/dialects/foreign-ddl-folder.test.ts'],
  {
    cwd: new URL('..', import.meta.url),
    env: {
      ...process.env,
      ISOTHERM_DDL_FOLDER: resolve(folder),
      ISOTHERM_DDL_DIALECT: dialect,
      ...(complete && { ISOTHERM_DDL_COMPLETE: '' }),
    },
    stdio: 'inherit',
  },
)
process.exitCode = status ?? 1
