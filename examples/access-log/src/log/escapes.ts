// Apache writes a quoted field's quotes, backslashes and whatever is not printable ASCII as escapes, so that a client
// cannot forge log lines: \" \\ \b \n \r \t \v, and \xhh for every other byte of the UTF-8 text.

const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['b', '\b'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
])

const LETTERS: ReadonlyMap<string, string> = new Map([...NAMED].map(([letter, stands]) => [stands, letter]))

export function escapeField(text: string): string {
  return text.replace(/["\\]|[^\x20-\x7e]+/g, (run) =>
    Array.from(run, (character) => {
      const letter = LETTERS.get(character)
      return letter === undefined ? hexOf(character) : `\\${letter}`
    }).join(''),
  )
}

/** What no escape stands for stays as it is; bytes that are not UTF-8 become U+FFFD. */
export function unescapeField(text: string): string {
  // A character can be several escaped bytes, so a run of them is decoded as one.
  return text.replace(/(?:\\x[0-9a-f]{2})+|\\(.)/gis, (run: string, letter: string | undefined) =>
    letter === undefined
      ? Buffer.from(run.replaceAll(/\\x/gi, ''), 'hex').toString('utf8')
      : (NAMED.get(letter) ?? run),
  )
}

function hexOf(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
