import { glob, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

/** An import of one file of the project by another. Paths begin at the project's folder. */
export interface Import {
  readonly file: string
  readonly target: string
}

/** Returns the relative paths that a file imports: imports of types and of values, exports from another file, and `import('…')`. */
export function specifiersIn(text: string): string[] {
  return Array.from(text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g), (match) => match[1] ?? '')
}

/** Returns all imports of the TypeScript and JavaScript files in `folder` of the project `root`. */
export async function importsOf(root: string, folder: string): Promise<Import[]> {
  const found: Import[] = []
  for await (const file of glob(`${folder}/**/*.{ts,mjs}`, { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8')
    for (const specifier of specifiersIn(text))
      found.push({ file, target: normalize(join(dirname(file), specifier)) })
  }
  return found
}

/** Returns every largest set of files that reach one another by imports, each sorted, in the order of their first files. */
export function circlesIn(imports: readonly Import[]): string[][] {
  const targetsOf = Map.groupBy(imports, ({ file }) => file)
  const reached = new Map<string, ReadonlySet<string>>()
  const reachedFrom = (file: string): ReadonlySet<string> => {
    let found = reached.get(file) as Set<string> | undefined
    if (found !== undefined) return found
    reached.set(file, (found = new Set()))
    const waiting = [file]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const { target } of targetsOf.get(next) ?? []) {
        if (found.has(target)) continue
        found.add(target)
        waiting.push(target)
      }
    }
    return found
  }
  const circles = new Map<string, string[]>()
  for (const file of [...targetsOf.keys()].sort()) {
    if (!reachedFrom(file).has(file)) continue
    const circle = [...reachedFrom(file)].filter((other) => reachedFrom(other).has(file)).sort()
    circles.set(circle[0]!, circle)
  }
  return [...circles.values()]
}
