import { styleText } from 'node:util'
import type { Finding } from '@isotherm/core'

type Format = Parameters<typeof styleText>[0]
type Paint = (text: string) => string

export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly good: Paint
  readonly warning: Paint
  readonly bad: Paint
  readonly name: Paint
}

/** The output of the command: a terminal, a file, or a program that reads JSON. */
export interface Output {
  readonly json: boolean
  /** Whether a user can see progress bars and answer questions. */
  readonly interactive: boolean
  readonly style: Style
  /** A line for people; nothing under `--json`. */
  line(text?: string): void
  /** A line for people, in addition to the result. */
  warn(text: string): void
  /** The document for programs; nothing without `--json`. */
  result(document: object): void
}

interface Stream {
  readonly isTTY?: boolean
  write(text: string): unknown
  on?(event: 'error', listener: (error: Error) => void): unknown
}

export interface OutputSettings {
  readonly json: boolean
  readonly color: boolean
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: Stream
  readonly stderr: Stream
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function createOutput(settings: OutputSettings): Output {
  const { json, stdout, stderr, environment } = settings
  const colored = hasColors(settings)
  for (const stream of [stdout, stderr]) stream.on?.('error', ignoreClosedPipe)
  return {
    json,
    interactive: !json && settings.stdin.isTTY === true && stdout.isTTY === true && !isSet(environment['CI']),
    style: {
      bold: paint('bold', colored),
      dim: paint('dim', colored),
      good: paint('green', colored),
      warning: paint('yellow', colored),
      bad: paint('red', colored),
      name: paint('cyan', colored),
    },
    line(text = '') {
      if (!json) stdout.write(`${text}\n`)
    },
    warn(text) {
      if (!json) stderr.write(`${text}\n`)
    },
    result(document) {
      if (json) stdout.write(`${toJson(document)}\n`)
    },
  }
}

/** `isotherm migrate | head -2`: a closed pipe is not a reason to end a migration midway. */
function ignoreClosedPipe(error: Error): void {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EPIPE' && code !== 'ERR_STREAM_DESTROYED') throw error
}

/** JSON has no 64-bit integers: they are decimal text, as everywhere in Isotherm. */
function toJson(document: object): string {
  return JSON.stringify(document, exact, 2)
}

function exact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** Conventions of https://no-color.org and https://force-color.org; without either, the terminal decides. */
function hasColors({ color, json, stdout, environment }: OutputSettings): boolean {
  if (!color || json || isSet(environment['NO_COLOR'])) return false
  if (isSet(environment['FORCE_COLOR'])) return environment['FORCE_COLOR'] !== '0'
  return stdout.isTTY === true && environment['TERM'] !== 'dumb'
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}

function paint(format: Format, colored: boolean): Paint {
  // Whether to colour is decided here, for all of the output.
  return (text) => (colored ? styleText(format, text, { validateStream: false }) : text)
}

/** Prints the findings of the linter, each with its fix. */
export function printFindings(findings: readonly Finding[], output: Output): void {
  const { bad, dim, name, warning } = output.style
  for (const { severity, table, column, index, rule, message, fix } of findings) {
    const location = [table, column ?? index].filter((part) => part !== undefined).join('.')
    const paint = severity === 'error' ? bad : warning
    output.line(`${paint(severity)} ${name(location)} ${dim(rule)}`)
    output.line(`  ${message}`)
    output.line(`  ${fix}`)
    output.line()
  }
}

/** `2 errors, 1 warning`. */
export function countText(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}`
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
