import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where this user keeps what can be fetched again: `XDG_CACHE_HOME`, else the system's usual place in the home folder.
 * Where `HOME` is empty, the user database says which folder that is.
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = environment['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(named)) return join(named, 'isotherm')
  const home = environment['HOME'] === '' ? userInfo().homedir : homedir()
  return platform === 'darwin'
    ? join(home, 'Library', 'Caches', 'isotherm')
    : join(home, '.cache', 'isotherm')
}
