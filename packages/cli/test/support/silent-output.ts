import { createOutput } from '../../src/terminal/output.js'

const silent = { write: () => true }

/** The output of a command that nobody watches: no colours, and nobody to be asked. */
export const silentOutput = createOutput({
  json: false,
  color: false,
  stdin: {},
  stdout: silent,
  stderr: silent,
  environment: {},
})
