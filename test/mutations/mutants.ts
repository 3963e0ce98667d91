import { stripTypeScriptTypes } from 'node:module'
import { parse, type AnyNode } from 'acorn'
import { fullAncestor } from 'acorn-walk'

/** One small fault: the text between `start` and `end` of a source file becomes `replacement`. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly replacement: string
  /** The expression that is evaluated whenever the fault can have an effect. */
  readonly expression: { readonly start: number; readonly end: number }
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

/** Calls that write log lines or show progress. */
const MESSAGE = /^(?:this\.)?#?(?:log|logger|progress|report|options\.log|this\.#options\.log)\b/

/** Names of constants and options that hold how long something is waited for. */
const WAIT = /(?:^|_)(?:timeout|wait|poll|deadline|grace)(?:_ms)?$/i

/** From this number on, one more makes a wait at most 1 % longer, which no test can tell. */
const LEAST_WAIT = 100

/**
 * Every mutant of a TypeScript source, ordered by position: operators exchanged, conditions negated, numbers increased,
 * booleans flipped, statements removed that only call something. Leaves out log lines and the numbers of waits.
 */
export function mutantsOf(source: string): Mutant[] {
  // Types become white space, so that positions stay the positions of `source`.
  const plain = stripTypeScriptTypes(source)
  const program = parse(plain, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
  const found: Mutant[] = []
  fullAncestor(program, (node, _state, ancestors) => {
    if (!ancestors.some((one) => isLeftOut(one, plain))) found.push(...mutantsOfNode(node, plain))
  })
  return found.sort((left, right) => left.start - right.start || left.end - right.end)
}

/** `source`, in which each expression of `mutants` is passed through `__reached(<its index>)`. */
export function recording(source: string, mutants: readonly Mutant[], first: number): string {
  const marks = mutants.flatMap(({ expression: { start, end } }, index) => [
    // At one position, ends go before beginnings; the wider expression begins first and ends last.
    { at: start, order: [1, -end, index], text: `__reached(${first + index})(` },
    { at: end, order: [0, -start, -index], text: ')' },
  ])
  marks.sort((left, right) => left.at - right.at || compareLists(left.order, right.order))
  let text = ''
  let copied = 0
  for (const mark of marks) {
    text += source.slice(copied, mark.at) + mark.text
    copied = mark.at
  }
  return text + source.slice(copied)
}

function compareLists(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((value, index) => value !== right[index])
  return at < 0 ? 0 : left[at]! - right[at]!
}

function mutantOf(start: number, end: number, replacement: string, expression: AnyNode): Mutant {
  return { start, end, replacement, expression: { start: expression.start, end: expression.end } }
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
      return [mutantOf(start, start + node.operator.length, replacement, node)]
    }
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement': {
      const { start, end } = node.test
      return [mutantOf(start, end, `!(${text.slice(start, end)})`, node.test)]
    }
    case 'Literal':
      if (typeof node.value === 'number') return [mutantOf(node.start, node.end, `${node.value + 1}`, node)]
      if (typeof node.value === 'boolean') return [mutantOf(node.start, node.end, `${!node.value}`, node)]
      return []
    case 'ExpressionStatement': {
      const call = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression
      return call.type === 'CallExpression' && call.callee.type !== 'Super'
        ? [mutantOf(node.start, node.end, ';', node.expression)]
        : []
    }
    default:
      return []
  }
}

function isStringLike(node: AnyNode): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
}

function isLeftOut(ancestor: { type: string }, text: string): boolean {
  const node = ancestor as AnyNode
  switch (node.type) {
    case 'ExpressionStatement':
      return isLeftOut(node.expression, text)
    case 'CallExpression':
      return MESSAGE.test(text.slice(node.callee.start, node.callee.end))
    case 'VariableDeclarator':
      return isWait(node.id, node.init, text)
    case 'Property':
      return isWait(node.key, node.value, text)
    default:
      return false
  }
}

/** Whether `value` is a plain number under the name of a wait, and so large that one more makes no difference. */
function isWait(name: AnyNode, value: AnyNode | null | undefined, text: string): boolean {
  return (
    value?.type === 'Literal' &&
    typeof value.value === 'number' &&
    value.value >= LEAST_WAIT &&
    WAIT.test(text.slice(name.start, name.end))
  )
}
