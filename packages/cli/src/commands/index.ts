import type { CommandDefinition } from '../definition/command.js'
import { bench } from './bench.js'
import { check } from './check.js'
import { emulator } from './emulator.js'
import { explain } from './explain.js'
import { generate } from './generate.js'
import { init } from './init.js'
import { lint } from './lint.js'
import { migrate } from './migrate.js'
import { pull } from './pull.js'
import { push } from './push.js'
import { shards } from './shards.js'
import { status } from './status.js'

/** In the order in which a project needs them. */
export const commands: readonly CommandDefinition[] = [
  init,
  generate,
  migrate,
  status,
  check,
  pull,
  push,
  lint,
  explain,
  shards,
  bench,
  emulator,
]
