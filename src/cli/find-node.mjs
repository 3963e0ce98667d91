// This file is plain JavaScript without new syntax, because an older Node runs it to find a newer Node.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The oldest major version of Node that runs TypeScript files directly and has all modules that Platbook uses. */
export const NEEDED_MAJOR = 24

/**
 * Returns the path of the first Node of at least `NEEDED_MAJOR` that starts on this machine, or null. A file that does not start is
 * skipped: the Node in node_modules is built for glibc and does not start on Alpine.
 * @param {{ path: string, packages: string, folders?: readonly string[] }} places `path` is the variable PATH,
 *   `packages` the folder node_modules, `folders` further folders that are searched
 */
export function findNode({ path, packages, folders = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin'] }) {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const brought = join(packages, `node-${platform}-${process.arch}`, 'bin')
  const searched = [brought, ...path.split(delimiter), ...folders]
  const files = [...new Set(searched.filter((folder) => folder !== '').map((folder) => join(folder, name)))]
  return files.find((file) => existsSync(file) && majorOf(file) >= NEEDED_MAJOR) ?? null
}

function majorOf(file) {
  try {
    const version = execFileSync(file, ['--version'], { encoding: 'utf8', timeout: 10_000 })
    return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Returns the message for an operator whose machine has no Node that is new enough. */
export function installAdvice({ version, platform, isMusl }) {
  const how =
    platform === 'darwin'
      ? 'Install it with `brew install node@24` or from https://nodejs.org'
      : isMusl
        ? 'Alpine and other musl systems: `apk add nodejs-current`, or the image node:24-alpine'
        : 'Install it with your package manager, or from https://nodejs.org'
  return (
    `platbook needs Node ${NEEDED_MAJOR} or newer. Node ${version} started it, and neither node_modules nor PATH has a newer one.\n` +
    `${how}. Then run the same command again.`
  )
}
