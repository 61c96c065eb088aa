// Mistakes at the command, in order, in one project: `names` is what the message has to name, `files` are written before. A step
// without a title makes no mistake.

const CONFIG = `import { defineConfig } from '@isotherm/cli'

export default defineConfig({ dialect: 'postgresql', schema: './models.ts', database: 'pglite:./data' })
`
const CUSTOMER = `import { defineTable } from '@isotherm/core'

export const Customer = defineTable('Customer', (t) => ({
  id: t.uuidV4().key(),
  email: t.string(),
}))
`
const HOT = `import { defineTable } from '@isotherm/core'

export const Visit = defineTable('Visit', (t) => ({ at: t.timestamp({ default: 'now' }).key() }))
`

const FIRST = { 'isotherm.config.ts': CONFIG, 'models.ts': CUSTOMER }
const without = (column) => CUSTOMER.replace(`  ${column}: t.string(),\n`, '')

export const commands = [
  { title: 'a misspelt command', names: 'genrate', args: ['genrate'] },
  { title: 'a misspelt flag', names: '--dryrun', args: ['migrate', '--dryrun'] },
  { title: 'a missing argument', names: 'table', args: ['explain'] },
  { title: 'no configuration', names: 'isotherm.config.ts', args: ['generate'] },
  {
    title: 'a misspelt key of the configuration',
    names: 'shema',
    args: ['lint'],
    files: { 'isotherm.config.ts': CONFIG.replace('schema', 'shema') },
  },
  {
    title: 'models that do not exist',
    names: 'models.ts',
    args: ['lint'],
    files: { 'isotherm.config.ts': CONFIG },
  },
  {
    title: 'a file without a model',
    names: 'models.ts',
    args: ['lint'],
    files: { 'models.ts': 'export const answer = 42\n' },
  },
  {
    title: 'a syntax error',
    names: 'models.ts',
    args: ['lint'],
    files: { 'models.ts': 'export const broken = (\n' },
  },
  { title: 'a hotspot', names: 'at', args: ['lint', '--dialect', 'googlesql'], files: { 'models.ts': HOT } },
  { title: 'no database yet', names: 'data', args: ['pull'], files: FIRST },
  { title: 'a duration without a unit', names: '--wait', args: ['migrate', '--wait', 'soon'] },
  {
    title: 'a database address of an unknown form',
    names: 'orders',
    args: ['status', '--database', 'orders'],
  },
  {
    title: 'a server that does not run',
    names: '127.0.0.1:1',
    args: ['migrate', '--database', 'postgresql://shop@127.0.0.1:1/shop'],
  },
  { args: ['generate', 'first'] },
  { args: ['migrate'] },
  {
    title: 'a new column that cannot be NULL and has no default',
    names: 'phone',
    args: ['generate', 'phone'],
    files: { 'models.ts': CUSTOMER.replace('email: t.string()', 'email: t.string(),\n  phone: t.string()') },
  },
  {
    title: 'another key',
    names: 'Customer',
    args: ['generate', 'key'],
    files: { 'models.ts': CUSTOMER.replace('t.uuidV4().key()', 't.bitReversedId()') },
  },
  {
    title: 'a rename of a column that does not exist',
    names: 'emial',
    args: ['generate', '--rename', 'Customer.emial:mail'],
    files: { 'models.ts': CUSTOMER.replace('email', 'mail') },
  },
  {
    title: 'a deleted column',
    names: 'email',
    args: ['push'],
    files: { 'models.ts': without('email') },
  },
  {
    title: 'an edited migration',
    names: 'first',
    args: ['migrate'],
    files: {
      'models.ts': CUSTOMER,
      'migrations/first/migration.sql': (text) => `${text}\n-- edited\n`,
    },
  },
]
