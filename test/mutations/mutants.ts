import { stripTypeScriptTypes } from 'node:module'
import { parse, type AnyNode } from 'acorn'
import { full } from 'acorn-walk'

/** One small fault: the text between `start` and `end` of a source file becomes `replacement`. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/**
 * Every mutant of a TypeScript source, ordered by position: operators exchanged, conditions negated, numbers increased,
 * booleans flipped, statements removed that only call something.
 */
export function mutantsOf(source: string): Mutant[] {
  // Types become white space, so that positions stay the positions of `source`.
  const plain = stripTypeScriptTypes(source)
  const program = parse(plain, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
  const found: Mutant[] = []
  full(program, (node) => found.push(...mutantsOfNode(node, plain)))
  return found
    .filter(({ start, end }) => !isMessage(source, start, end))
    .sort((left, right) => left.start - right.start || left.end - right.end)
}

function mutantsOfNode(node: AnyNode, text: string): Mutant[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const replacement = OPERATORS[node.operator]
      const between = text.slice(node.left.end, node.right.start)
      const at = between.indexOf(node.operator)
      // A sum of texts has no difference.
      const isText = node.operator === '+' && [node.left, node.right].some((side) => isStringLike(side))
      if (replacement === undefined || at < 0 || isText) return []
      const start = node.left.end + at
      return [{ start, end: start + node.operator.length, replacement }]
    }
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement': {
      const { start, end } = node.test
      return [{ start, end, replacement: `!(${text.slice(start, end)})` }]
    }
    case 'Literal':
      if (typeof node.value === 'number')
        return [{ start: node.start, end: node.end, replacement: `${node.value + 1}` }]
      if (typeof node.value === 'boolean')
        return [{ start: node.start, end: node.end, replacement: `${!node.value}` }]
      return []
    case 'ExpressionStatement': {
      const call = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression
      return call.type === 'CallExpression' && call.callee.type !== 'Super'
        ? [{ start: node.start, end: node.end, replacement: ';' }]
        : []
    }
    default:
      return []
  }
}

function isStringLike(node: AnyNode): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
}

// Log lines and progress are no behaviour that a test should hold word by word.
function isMessage(source: string, start: number, end: number): boolean {
  return /^(?:this\.)?#?(?:log|logger|progress|report)\b/.test(source.slice(start, end))
}
