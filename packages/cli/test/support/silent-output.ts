import { createOutput } from '../../src/terminal/output.js'

const nowhere = { write: () => true }

/** No terminal: no colours and no questions. */
export const silent = {
  json: false,
  color: false,
  stdin: {},
  stdout: nowhere,
  stderr: nowhere,
  environment: {},
}

/** The output of a command whose text is not read. */
export const silentOutput = createOutput(silent)
