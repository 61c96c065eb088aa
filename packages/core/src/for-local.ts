// The entry `@isotherm/core/local`: what starts an engine on this machine for a package of one, and ends it with this process.

export { untilItWorks } from './local/attempts.js'
export { cacheFolder } from './local/resolve.js'
export { PeerMissing, importPeer } from './local/resolve.js'
export { quoted, withTail } from './local/tied-process.js'
export { isProgram, onPath } from './local/resolve.js'
export { LauncherFailed, messageOf, startFirst } from './local/resolve.js'
export { type TiedFolder, tiedFolder } from './local/tied-process.js'
export { type TiedProcess, spawnTied } from './local/tied-process.js'
export { TimeLimitReached, withinTime } from './local/attempts.js'
