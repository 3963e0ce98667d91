import { tsPlugin } from '@sveltejs/acorn-typescript'
import { type Expression, type ModuleDeclaration, Parser, type Property, type Statement } from 'acorn'
import { type FieldPath, placeAt } from '../json-places.ts'

type Declared = ReadonlyMap<string, Expression>
type Wrapped = { readonly expression: Expression }

/**
 * Returns the place of a field in a module's default export, as `file:line:column`. When the field is imported,
 * spread or computed, it returns the place of the innermost part around it that the text contains.
 */
export function modulePlace(text: string, file: string, path: FieldPath): string {
  const { body } = Parser.extend(tsPlugin()).parse(text, { ecmaVersion: 'latest', sourceType: 'module' })
  const exported = body.find((each) => each.type === 'ExportDefaultDeclaration')
  if (exported === undefined) return placeAt(text, file, 0)
  const declared = declarations(body)
  let place: number = exported.start
  let value = literalOf(exported.declaration as Expression, declared)
  for (const key of path) {
    const next = value === null ? null : childOf(value, key)
    if (next === null) break
    place = next.place
    value = literalOf(next.value, declared)
  }
  return placeAt(text, file, place)
}

/**
 * Returns the place of an import error. Node writes `file:line` above the faulty line, or `at file:line:column`
 * below the message.
 */
export function importPlace(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const above = /^(?:file:\/\/)?(\/[^\n]+?):(\d+)\n[^]*?\n( *)\^/.exec(stack)
  if (above !== null) return `${above[1]}:${above[2]}:${(above[3]?.length ?? 0) + 1}`
  const [, frame] = /^ +at (?:.*\()?file:\/\/(\/[^\n]+?:\d+:\d+)\)?$/m.exec(stack) ?? []
  return frame ?? file
}

/** Returns the top-level constants by name, because a definition may refer to them. */
function declarations(body: readonly (Statement | ModuleDeclaration)[]): Declared {
  const found = new Map<string, Expression>()
  for (const each of body) {
    const statement = each.type === 'ExportNamedDeclaration' ? each.declaration : each
    if (statement?.type !== 'VariableDeclaration') continue
    for (const { id, init } of statement.declarations)
      if (id.type === 'Identifier' && init != null) found.set(id.name, init)
  }
  return found
}

/** Follows names of this module, type assertions and `defineSource(…)` to the literal that they contain. */
function literalOf(expression: Expression, declared: Declared, depth = 0): Expression | null {
  if (depth > 20) return null
  const inner = (next: Expression | undefined): Expression | null =>
    next === undefined ? null : literalOf(next, declared, depth + 1)
  switch (expression.type as string) {
    case 'Identifier':
      return inner(declared.get((expression as { name: string } & Expression).name))
    case 'CallExpression': {
      const [first] = (expression as Extract<Expression, { type: 'CallExpression' }>).arguments
      return first === undefined || first.type === 'SpreadElement' ? null : inner(first)
    }
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return inner((expression as unknown as Wrapped).expression)
    default:
      return expression
  }
}

function childOf(value: Expression, key: string | number): { place: number; value: Expression } | null {
  if (value.type === 'ArrayExpression' && typeof key === 'number') {
    const before = value.elements.slice(0, key + 1)
    const element = before.at(key)
    if (element == null || before.some((each) => each?.type === 'SpreadElement')) return null
    return { place: element.start, value: element as Expression }
  }
  if (value.type !== 'ObjectExpression') return null
  const named = value.properties.findLast(
    (each): each is Property => each.type === 'Property' && !each.computed && nameOf(each) === String(key),
  )
  return named === undefined ? null : { place: named.start, value: named.value }
}

function nameOf({ key }: Property): string | null {
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' ? String(key.value) : null
}
