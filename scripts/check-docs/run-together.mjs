// `node run-together.mjs FILE…`: executes modules one after the other in this process, which has loaded Isotherm once, and prints a
// line of JSON for each: what it printed, and what it threw.
import { pathToFileURL } from 'node:url'

const write = process.stdout.write.bind(process.stdout)
let printed = ''
process.stdout.write = (chunk) => {
  printed += chunk
  return true
}
for (const file of process.argv.slice(2)) {
  printed = ''
  let complained
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    complained = error instanceof Error ? error.stack : String(error)
  }
  write(`${JSON.stringify({ printed, complained })}\n`)
}
