import { createOutput } from '../../src/terminal/output.js'

const silent = { write: () => true }

/** The output of a command without a terminal: no colours and no questions. */
export const silentOutput = createOutput({
  json: false,
  color: false,
  stdin: {},
  stdout: silent,
  stderr: silent,
  environment: {},
})
