import { inspect } from 'node:util'

/** Where the example says what it does. */
export class Report {
  readonly #write: (line: string) => void

  constructor(write: (line: string) => void) {
    this.#write = write
  }

  section(title: string): void {
    this.#write(`\n${title}`)
  }

  text(text: string): void {
    for (const line of text.split('\n')) this.#write(`  ${line}`)
  }

  value(value: unknown): void {
    this.text(inspect(value, { depth: 6, breakLength: 100, compact: 3 }))
  }
}
