/**
 * Reads a test run's JSON report: `counts FILE` prints how many tests passed and how many did not (a skipped one did
 * not), `failures FILE` says which, and why.
 */
import { readFileSync } from 'node:fs'

const [, , what, file] = process.argv
const { testResults } = JSON.parse(readFileSync(file, 'utf8'))
const tests = testResults.flatMap(({ name, assertionResults, message, status }) =>
  // A file that could not be loaded has no tests, and is one failure.
  assertionResults.length === 0 && status === 'failed'
    ? [{ file: name, fullName: '(could not be run)', status, failureMessages: [message] }]
    : assertionResults.map((test) => ({ ...test, file: name })),
)
const failures = tests.filter(({ status }) => status !== 'passed')

if (what === 'counts') console.log(tests.length - failures.length, failures.length)
else
  for (const { file: path, fullName, status, failureMessages = [] } of failures) {
    console.log(`test: ${path}: ${fullName}: ${status}`)
    for (const message of failureMessages) console.log(message.split('\n').slice(0, 12).join('\n'))
  }
