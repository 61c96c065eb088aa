import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/** A path as it was given, with the separators that every system takes: people on Windows type `src\models`. */
export function portablePath(path: string): string {
  return path.replaceAll('\\', '/')
}

/**
 * The same for a glob. A backslash before a bracket, a brace or a parenthesis escapes it, as in `app/\(shop\)/models.ts`;
 * every other one separates: no file of Windows has `*` in its name, so `src\models\*.ts` cannot mean one.
 */
export function portableGlob(glob: string): string {
  return glob.replaceAll(/\\(?![[\](){}])/g, '/')
}

/** The endings of modules that Node runs, or the command compiles. */
export const MODULES = '*.{ts,mts,cts,tsx,js,mjs,cjs}'

/**
 * The globs for tinyglobby of one in `schema`: a folder means the modules in it, at any depth, also where its name has
 * characters of globs, as `app/(shop)` of Next.js.
 *
 * @param escapePath of tinyglobby, which is loaded only where it is needed
 */
export function schemaGlobs(
  given: string,
  directory: string,
  escapePath: (path: string) => string,
): readonly string[] {
  const path = portablePath(given)
  if (statSync(resolve(directory, path), { throwIfNoEntry: false })?.isDirectory())
    return [`${escapePath(path)}/**/${MODULES}`]
  const glob = portableGlob(given)
  return glob.endsWith('*') ? [glob] : [glob, `${glob}/**/${MODULES}`]
}

/** Whether a file ends as one of `MODULES` does. */
export function isModule(path: string): boolean {
  return /\.(?:[cm]?[jt]s|tsx)$/.test(path)
}
