// How names of a database are spelled in TypeScript. A name may be anything that SQL takes between quotes.

const PROPERTY = /^[a-z][A-Za-z0-9]*$/
const TYPE = /^[A-Z][A-Za-z0-9]*$/

/** What no identifier may hold; letters beyond the first plane are left out, since not every tool knows them all. */
const SEPARATOR = /(?:[^\p{ID_Continue}]|[\u{10000}-\u{10ffff}]|_)+/u
const CASE_CHANGE = /(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const STARTS_IDENTIFIER = /^\p{ID_Start}/u

/** Enough of a name to know it by, in the limits that file systems have. */
const MAX_FILE_NAME = 80

/** The words of `Column_Name`, `columnName` or `COLUMN-NAME`. */
function wordsOf(name: string): string[] {
  return name
    .split(SEPARATOR)
    .flatMap((part) => part.split(CASE_CHANGE))
    .filter((word) => word !== '')
}

function capitalised(word: string): string {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('').toLowerCase()
}

function identifier(text: string, otherwise: string): string {
  if (text === '') return otherwise
  return STARTS_IDENTIFIER.test(text) ? text : `_${text}`
}

/** `Column_Name` as a property: `columnName`. */
export function camelCase(name: string): string {
  if (PROPERTY.test(name)) return name
  const [first = '', ...rest] = wordsOf(name)
  return identifier(first.toLowerCase() + rest.map(capitalised).join(''), 'unnamed')
}

/** `table_name` as a class: `TableName`. */
export function pascalCase(name: string): string {
  if (TYPE.test(name)) return name
  if (PROPERTY.test(name)) return name[0]!.toUpperCase() + name.slice(1)
  return identifier(wordsOf(name).map(capitalised).join(''), 'Unnamed')
}

/** `TableName` as a file or a folder: `table-name`. */
export function kebabCase(name: string): string {
  const joined = wordsOf(name).join('-').toLowerCase().normalize('NFC')
  return joined.slice(0, MAX_FILE_NAME) || 'unnamed'
}

/** The first of `name`, `name2`, `name3` … that is not taken yet; it is taken then. */
export function claim(name: string, taken: Set<string>, join = ''): string {
  let free = name
  for (let count = 2; taken.has(free); count += 1) free = `${name}${join}${count}`
  taken.add(free)
  return free
}
