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

/** The globs for tinyglobby of one in `schema`: a folder means the modules in it, at any depth. */
export function schemaGlobs(given: string): readonly string[] {
  const glob = portableGlob(given).replace(/\/+$/, '')
  return glob.endsWith('*') ? [glob] : [glob, `${glob}/**/${MODULES}`]
}

/** Whether a file ends as one of `MODULES` does. */
export function isModule(path: string): boolean {
  return /\.(?:[cm]?[jt]s|tsx)$/.test(path)
}
