import { isErrorOf, markError } from '../copies.js'
import type { EngineLint, Finding, LintStatement, Rule, Severity } from '../engine/lint-rule.js'
import {
  type OptionKinds,
  checkOptions,
  listOf,
  nearName,
  oneOf,
  options,
  recordOf,
  required,
  text,
} from '../options.js'
import { type Dialect, checkDialect, dialectOption } from '../engine/dialect.js'
import { IsothermError, describeFindings, firstLocation, isInstance } from '../errors.js'
import { checkSchema, checkShape } from '../model/validate.js'
import { type Schema, findTable } from '../model/schema.js'
import type { Suppression, Table } from '../model/table.js'

/**
 * The rules that engines share, by their plain names. An engine runs those that apply to it; models may be for several
 * engines, so the names of the others are known everywhere.
 */
export const SHARED_RULES: readonly string[] = [
  'monotonic-first-key',
  'monotonic-index',
  'capped-key',
  'unstable-shard',
  'uneven-shard',
  'nullable-first-key',
  'redundant-index',
  'storing-advice',
  'unsupported-feature',
  'unused-suppression',
]

const RULE_OF_ENGINE = /^([a-z][a-z\d-]*)\/[a-z][a-z\d-]*$/

/**
 * Classifies the name of a rule for the linted engine: `unknown` for a rule that neither it nor all engines have. The rules
 * of other engines are not known here, so every name with a prefix that is not nearly this engine's is `other`.
 */
function standingOf(name: string, { engine, rules }: EngineLint): 'known' | 'other' | 'unknown' {
  if (SHARED_RULES.includes(name) || rules.some((rule) => rule.name === name)) return 'known'
  const [, prefix] = RULE_OF_ENGINE.exec(name) ?? []
  // A prefix that is nearly the engine's own is a slip: left alone, the suppression or severity would do nothing.
  return prefix === undefined || nearName(prefix, [engine]) !== undefined ? 'unknown' : 'other'
}

/** The suggestion for an unknown name of a rule. */
function ruleNameFix(name: string, { rules }: EngineLint): string {
  const own = rules.map((rule) => rule.name)
  const near = nearRule(name, [...new Set([...own, ...SHARED_RULES])])
  const question = near === undefined ? '' : `Did you mean ${near}? `
  return `${question}The rules are ${own.join(', ')}. A rule of another engine has the name of that engine in front.`
}

/** By the part behind the slash: who writes a name from memory leaves the prefix out, or takes another engine's. */
function nearRule(name: string, known: readonly string[]): string | undefined {
  const bases = known.map(baseOf)
  const base = baseOf(name)
  const near = bases.includes(base) ? base : nearName(base, bases)
  return near === undefined ? undefined : known[bases.indexOf(near)]
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/**
 * The names of the rules that are run for a dialect, in the order in which findings are listed.
 *
 * @example lintRules(googlesql) // ['monotonic-first-key', …, 'spanner/key-limits', …]
 */
export function lintRules(dialect: Dialect): readonly string[] {
  checkDialect('lintRules', dialect)
  return dialect.lint.rules.map((rule) => rule.name)
}

/** The page of a rule, in the repository. */
function pageOf({ name }: Rule): string {
  return `docs/lint/${name}.md`
}

export interface LintOptions {
  /** Hotspots depend on the engine, so the dialect is required. */
  readonly dialect: Dialect
  /** Another severity for a rule, by its name. Severities of another engine's rules are ignored. */
  readonly severity?: Readonly<Record<string, Severity>>
  /** The statements of applications and migrations, linted with the tables. Default: none. */
  readonly statements?: readonly LintStatement[]
}

export const LINT_OPTIONS: OptionKinds<LintOptions> = {
  dialect: dialectOption,
  severity: recordOf(oneOf('error', 'warning', 'off')),
  statements: listOf(options({ name: required(text("'queries.sql'")), text: required(text("'SELECT …'")) })),
}

/**
 * Reports everything in a schema that would cause a hotspot, that the database would refuse, or that is needlessly
 * expensive.
 *
 * @throws {IsothermError} `SCHEMA_INVALID` for a suppression of a rule
 * that does not exist, or a severity of one. Those of another engine's rules are left alone.
 * @example for (const finding of lint(schema, { dialect: googlesql })) console.log(finding.message, finding.fix)
 */
export function lint(schema: Schema, options: LintOptions): Finding[] {
  checkShape('lint', schema)
  checkOptions('lint', LINT_OPTIONS, options)
  return [...findingsOfTables(schema, options), ...findingsOfSchema(schema, options)]
}

/** In the schema as a whole. */
function findingsOfSchema(schema: Schema, { dialect, severity: severities }: LintOptions): Finding[] {
  const findings: Finding[] = []
  const compile = (): void => {
    checkSchema(schema)
    dialect.ddl(
      schema,
      schema.tables.map((table) => dialect.layout(table, schema)),
    )
  }
  for (const rule of dialect.lint.rules) {
    const severity = severities?.[rule.name] ?? rule.severity
    if (severity === 'off') continue
    rule.checkSchema?.(
      (found) => {
        const suppressions = findTable(schema, found.table)?.suppressions ?? []
        if (suppressions.some((suppression) => isSuppressed(suppression, rule, found))) return
        findings.push({ rule: rule.name, severity, ...found, link: pageOf(rule) })
      },
      { schema, dialect, compile },
    )
  }
  return findings
}

/** In each table, and in the statements. */
function findingsOfTables(schema: Schema, options: LintOptions): Finding[] {
  const { dialect } = options
  const { rules } = dialect.lint
  const findings: Finding[] = []
  for (const name of Object.keys(options.severity ?? {})) {
    if (standingOf(name, dialect.lint) !== 'unknown') continue
    throw new IsothermError('SCHEMA_INVALID', `A severity is set for ${name}, which is not a rule.`, {
      fix: ruleNameFix(name, dialect.lint),
    })
  }
  for (const table of schema.tables) {
    for (const suppression of table.suppressions) checkSuppression(table, suppression, dialect.lint)
    const used = new Set<Suppression>()
    for (const rule of rules) {
      const severity = options.severity?.[rule.name] ?? rule.severity
      if (severity === 'off') continue
      rule.check?.(
        table,
        ({ severity: other, ...found }) => {
          const suppressions = table.suppressions.filter((suppression) =>
            isSuppressed(suppression, rule, found),
          )
          for (const suppression of suppressions) used.add(suppression)
          if (suppressions.length > 0) return
          findings.push({
            rule: rule.name,
            severity: other ?? severity,
            table: table.name,
            ...found,
            link: pageOf(rule),
          })
        },
        { schema, dialect },
      )
    }
    for (const each of unusedSuppressions(table, used, rules, options)) findings.push(each)
  }
  for (const statement of options.statements ?? []) {
    for (const rule of rules) {
      const severity = options.severity?.[rule.name] ?? rule.severity
      if (severity === 'off') continue
      rule.checkStatement?.(statement, (found) => {
        const suppressions = findTable(schema, found.table)?.suppressions ?? []
        if (suppressions.some((suppression) => isSuppressed(suppression, rule, {}))) return
        findings.push({ rule: rule.name, severity, ...found, link: pageOf(rule) })
      })
    }
  }
  return findings
}

/** Suppressions from rules that have checked the table and have no finding that these suppressions cover. */
function unusedSuppressions(
  table: Table,
  used: ReadonlySet<Suppression>,
  rules: readonly Rule[],
  options: LintOptions,
): Finding[] {
  const findings: Finding[] = []
  const unused = table.suppressions.filter((suppression) => {
    const rule = rules.find(({ name }) => name === suppression.rule)
    // Rules about statements do not check tables: without statements, they find nothing.
    return rule?.check && options.severity?.[rule.name] !== 'off' && !used.has(suppression)
  })
  for (const rule of rules) {
    const severity = options.severity?.[rule.name] ?? rule.severity
    if (severity === 'off') continue
    for (const suppression of unused) {
      rule.checkUnusedSuppression?.(table, suppression, ({ severity: other, ...found }) => {
        if (table.suppressions.some((each) => isSuppressed(each, rule, found))) return
        const link = pageOf(rule)
        findings.push({ rule: rule.name, severity: other ?? severity, table: table.name, ...found, link })
      })
    }
  }
  return findings
}

function isSuppressed(
  suppression: Suppression,
  rule: Rule,
  found: { column?: string; index?: string },
): boolean {
  if (suppression.rule !== rule.name) return false
  return suppression.on === undefined || suppression.on === found.index || suppression.on === found.column
}

function checkSuppression(
  { name: table, indexes, columns, foreignKeys }: Table,
  { rule, on }: Suppression,
  engine: EngineLint,
): void {
  const standing = standingOf(rule, engine)
  if (standing === 'other') return
  if (standing === 'unknown') {
    throw new IsothermError('SCHEMA_INVALID', `${table} suppresses ${rule}, which is not a rule.`, {
      fix: ruleNameFix(rule, engine),
      table,
    })
  }
  const names = [...indexes, ...foreignKeys].map(({ name }) => name)
  const known = [...names, ...columns.map(({ property }) => property)]
  if (on === undefined || known.includes(on)) return
  throw new IsothermError(
    'SCHEMA_INVALID',
    `${table} suppresses ${rule} for ${on}, but has no such index, foreign key or column.`,
    {
      fix: `Name one of ${known.join(', ')}, or leave \`on\` out.`,
      table,
    },
  )
}

/** A schema that would send its writes to one server, or that the database would refuse. */
export class HotspotError extends IsothermError {
  override readonly name = 'HotspotError'
  readonly findings: readonly Finding[]

  /** @param rules of the linted dialect, which say which findings are about hotspots */
  constructor(findings: readonly Finding[], rules: readonly Rule[]) {
    const hot = findings.every((finding) => rules.some((rule) => rule.hotspot && rule.name === finding.rule))
    const title = hot ? 'The schema would cause a hotspot' : 'The schema is not fit for its database'
    super('HOTSPOT', describeFindings(title, findings), {
      fix: 'To accept it, add suppress: [{ rule, reason }] to the options of the table.',
      ...firstLocation(findings),
    })
    this.findings = findings
    markError(this, 'HotspotError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, value) || (this === HotspotError && isErrorOf(value, 'HotspotError'))
  }
}

/**
 * By the tables alone: what the dialect does not have is refused where DDL is compiled.
 *
 * @throws {HotspotError} with every finding of severity `error`.
 */
export function refuseHotspots(schema: Schema, options: LintOptions): void {
  checkShape('lint', schema)
  checkOptions('lint', LINT_OPTIONS, options)
  const { rules } = options.dialect.lint
  // Only errors are refused, so functions are run only for rules that are errors.
  const skipped = rules.filter(
    (rule) => rule.runsFunctions && (options.severity?.[rule.name] ?? rule.severity) !== 'error',
  )
  const off = Object.fromEntries(skipped.map(({ name }) => [name, 'off'] as const))
  const severity = { ...options.severity, ...off }
  const errors = findingsOfTables(schema, { ...options, severity }).filter(
    (finding) => finding.severity === 'error',
  )
  if (errors.length > 0) throw new HotspotError(errors, rules)
}

export interface CompileDdlOptions {
  readonly dialect: Dialect
  /** Another severity for lint rules, by their names: for a schema that was read from a database and is as it is. */
  readonly severity?: Readonly<Record<string, Severity>>
}

const { dialect, severity } = LINT_OPTIONS
const COMPILE_OPTIONS: OptionKinds<CompileDdlOptions> = { dialect, severity }

/**
 * The statements that make a schema, in the order in which they must run.
 *
 * @throws {HotspotError} if the schema would cause a hotspot and carries no suppression.
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for what the dialect does not have.
 * @example
 * for (const statement of compileDdl(schema, { dialect: googlesql })) console.log(statement)
 */
export function compileDdl(schema: Schema, options: CompileDdlOptions): string[] {
  checkShape('compileDdl', schema)
  checkOptions('compileDdl', COMPILE_OPTIONS, options)
  const { dialect } = options
  checkSchema(schema)
  refuseHotspots(schema, options)
  return dialect.ddl(
    schema,
    schema.tables.map((table) => dialect.layout(table, schema)),
  )
}
