import { basename } from 'node:path'
import { circlesIn, type Import, importsOf } from './imports.ts'

// npm run -s imports -- 'NAME=FOLDER' …
// Prints, in Markdown, a picture of the imports of each project folder: of src by folder, and of its linking code by subfolder.

/** Returns the part of a path that a picture of `top` shows: the first folder below it, or the word for files directly in it. */
function partOf(path: string, top: string): string {
  const [part = '', ...rest] = path.slice(top.length + 1).split('/')
  return rest.length === 0 ? `files of ${basename(top)}/` : part
}

/** Orders parts so that imported parts come first as far as circles allow. */
function ordered(arrows: ReadonlyMap<string, ReadonlyMap<string, number>>): string[] {
  const left = [...arrows.keys()].sort()
  const order: string[] = []
  const importedBy = (part: string): number =>
    left.filter((other) => other !== part && arrows.get(part)?.has(other)).length
  while (left.length > 0) {
    const next = left.toSorted((a, b) => importedBy(a) - importedBy(b))[0]!
    left.splice(left.indexOf(next), 1)
    order.push(next)
  }
  return order
}

/** Returns the imports between parts of `top` as a table: a row for each part, with the number of imports of each other part. */
function picture(imports: readonly Import[], top: string): string[] {
  const inside = imports.filter(({ file, target }) =>
    [file, target].every((path) => path.startsWith(`${top}/`)),
  )
  const arrows = new Map<string, Map<string, number>>()
  for (const { file, target } of inside) {
    const [from, to] = [partOf(file, top), partOf(target, top)]
    if (!arrows.has(to)) arrows.set(to, new Map())
    const row = arrows.get(from) ?? new Map<string, number>()
    arrows.set(from, row.set(to, (row.get(to) ?? 0) + 1))
  }
  const order = ordered(arrows)
  const width = Math.max(...order.map((part) => part.length)) + 4
  const head = ' '.repeat(width) + order.map((_, at) => String(at + 1).padStart(4)).join('')
  const rows = order.map((part, row) => {
    const cells = order.map((other, column) => {
      const count = arrows.get(part)?.get(other)
      return (row === column ? '·' : String(count ?? '')).padStart(4)
    })
    return `${String(row + 1).padStart(2)}  ${part.padEnd(width - 4)}${cells.join('')}`.trimEnd()
  })
  const between = [...arrows].flatMap(([from, row]) =>
    [...row].filter(([to]) => to !== from).map(([to]) => ({ file: from, target: to })),
  )
  const against = between.filter(({ file, target }) => order.indexOf(target) > order.indexOf(file))
  const files = new Set(inside.flatMap(({ file, target }) => [file, target])).size
  return [
    `Files: ${files}. Imports between files: ${inside.length}. Arrows between parts: ${between.length}, against the order: ${against.length}.`,
    '',
    '```text',
    head,
    ...rows,
    '```',
    '',
  ]
}

function circlesText(circles: readonly (readonly string[])[]): string {
  if (circles.length === 0) return 'Circles of files: none.'
  const sizes = circles.map((circle) => circle.length).sort((a, b) => b - a)
  return `Circles of files: ${circles.length}, with ${sizes.join(', ')} files.`
}

const lines = [
  '# Imports of src',
  '',
  "Written by `npm run -s imports -- 'NAME=FOLDER' …`. Type imports count. A row shows how many imports a part has of the parts in the columns.",
  'Imported parts come first, so a number right of the dots is an import against the order: it closes a circle of parts.',
  '`cli` imports everything. "files of src/" are files without a folder.',
  '',
]
for (const argument of process.argv.slice(2)) {
  const [name = '', folder = ''] = argument.split('=')
  const imports = await importsOf(folder, 'src')
  lines.push(
    `## ${name}`,
    '',
    circlesText(circlesIn(imports)),
    '',
    '### src, by folder',
    '',
    ...picture(imports, 'src'),
  )
  for (const top of ['src/linkage', 'src/link']) {
    if (imports.some(({ file }) => file.startsWith(`${top}/`)))
      lines.push(`### ${top}, by subfolder`, '', ...picture(imports, top))
  }
}
process.stdout.write(`${lines.join('\n').trimEnd()}\n`)
