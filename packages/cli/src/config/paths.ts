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
