import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where something was declared: the calls that led there. Its text is made when it is first read, which few errors do. */
export interface Origin {
  readonly stack?: string
}

interface Location {
  readonly file: string
  readonly line: string
  /** The lines and columns of the calls in this file that led there: those of a function differ from call to call. */
  readonly calls: string
}

/** @param below the function whose caller declares */
export function originOf(below: (...args: never[]) => unknown): Origin {
  const origin: Origin = {}
  Error.captureStackTrace(origin, below)
  return origin
}

/** The module and the line of a declaration; undefined where it is not known. */
export function locationOf({ stack = '' }: Origin): Location | undefined {
  const frames = stack.split('\n').flatMap((line) => {
    const [, file, at, column] = FRAME.exec(line) ?? []
    return file === undefined || at === undefined ? [] : [{ file, line: at, at: `${at}:${column}` }]
  })
  const [first] = frames
  if (!first) return undefined
  const calls = frames.filter(({ file }) => file === first.file).map(({ at }) => at)
  return { file: pathOf(first.file), line: first.line, calls: calls.join() }
}

const FRAME = /^\s+at (?:.*\()?((?:file:\/\/|[A-Za-z]:[\\/]|\/)[^()]*?):(\d+):(\d+)\)?$/

/** The location as a message shows it: relative to the working folder for files in it. */
export function shownLocation(origin: Origin): string | undefined {
  const location = locationOf(origin)
  if (!location) return undefined
  const path = relative(process.cwd(), location.file)
  return `${path.startsWith('..') ? location.file : path}:${location.line}`
}

/** What follows a path, as `?t=1`, distinguishes two loads of one file. */
function pathOf(location: string): string {
  return location.startsWith('file:') ? fileURLToPath(location) + new URL(location).search : location
}
