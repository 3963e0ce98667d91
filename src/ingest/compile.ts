import { AppError } from '../errors.ts'
import { quotedLiteral } from '../warehouse/query.ts'
import type { ColumnType } from './canonical.ts'
import type { Condition, Expression, SourceDefinition } from './definition.ts'

/** An expression as SQL. Its text is trimmed, and blank text is null. */
export interface Compiled {
  readonly sql: string
  readonly type: ColumnType
  /**
   * SQL that is true when there was text to read as a date or number. When the value is then null, the text was
   * unreadable. Null when nothing is converted.
   */
  readonly attempted: string | null
}

/** Gives the SQL for the names in an expression. */
export interface Names {
  /** Returns the SQL of a column, or undefined when the format has no such column. */
  column(name: string): string | undefined
  /**
   * Returns the SQL of a named group of the file's pattern, or of `name`. Returns undefined when the pattern has no
   * such group.
   */
  file(group: string): string | undefined
  readonly codes: SourceDefinition['codes']
  /** The source and the kind of the expression, for messages. */
  readonly place: string
}

/** Translates an expression into SQL. @throws `bad_definition` when it names an unknown column, group or code table */
export function compileExpression(expression: Expression, names: Names): Compiled {
  if (typeof expression === 'string') {
    const sql = names.column(expression)
    if (sql === undefined) throw unknownName(names, 'column', expression)
    return trimmed(sql)
  }
  if ('literal' in expression) return literal(expression.literal)
  if ('file' in expression) {
    const sql = names.file(expression.file)
    if (sql === undefined) throw unknownName(names, 'group of the file pattern', expression.file)
    return trimmed(sql)
  }
  if ('firstOf' in expression)
    return firstOf(expression.firstOf.map((each) => compileExpression(each, names)))
  if ('join' in expression) {
    const parts = expression.join.map((each) => textOf(each, names))
    return trimmed(`concat_ws(${quotedLiteral(expression.with)}, ${parts.join(', ')})`)
  }
  if ('codes' in expression) return codes(expression, names)
  if ('date' in expression) return date(expression, names)
  if ('monthDate' in expression) return monthDate(expression.monthDate, names)
  if ('birthDate' in expression) return birthDate(expression, names)
  if ('number' in expression) return number(expression, names)
  if ('integer' in expression) {
    const value = toInteger(compileExpression(expression.integer, names))
    return expression.zeroIsNull === true ? withoutZero(value, value) : value
  }
  if ('sum' in expression) {
    const parts = expression.sum.map((each) => toNumber(compileExpression(each, names)))
    const anything = `coalesce(${parts.map((part) => part.sql).join(', ')})`
    const total = parts.map((part) => `coalesce(${part.sql}, 0)`).join(' + ')
    const sql = `case when ${anything} is not null then ${total} end`
    return { sql, type: 'double', attempted: anyAttempted(parts) }
  }
  if ('replace' in expression) {
    const parameters = [expression.replace, expression.with].map(quotedLiteral).join(', ')
    return trimmed(`regexp_replace(${textOf(expression.of, names)}, ${parameters}, 'g')`)
  }
  if ('extract' in expression) {
    const { extract, of, group = hasGroup(extract) ? 1 : 0 } = expression
    return trimmed(`regexp_extract(${textOf(of, names)}, ${quotedLiteral(extract)}, ${group})`)
  }
  if ('padStart' in expression) {
    const of = textOf(expression.padStart, names)
    // The length is at least that of the text, because `lpad` would cut longer text.
    const length = `greatest(${expression.length}, length(${of}))::integer`
    return text(`lpad(${of}, ${length}, ${quotedLiteral(expression.with)})`)
  }
  if ('slice' in expression) {
    return trimmed(`substring(${textOf(expression.slice, names)}, ${expression.from}, ${expression.length})`)
  }
  if ('lower' in expression) return text(`lower(${textOf(expression.lower, names)})`)
  if ('flag' in expression) {
    return { sql: compileCondition(expression.flag, names), type: 'boolean', attempted: null }
  }
  return when(expression, names)
}

/** Translates a condition into SQL that is true or false, never null. */
export function compileCondition(condition: Condition, names: Names): string {
  if ('is' in condition) return isOneOf(compileExpression(condition.is, names), condition.in)
  if ('isBlank' in condition) return `(${compileExpression(condition.isBlank, names).sql} is null)`
  if ('notBlank' in condition) return `(${compileExpression(condition.notBlank, names).sql} is not null)`
  if ('matches' in condition) {
    const pattern = quotedLiteral(condition.matches)
    return `coalesce(regexp_matches(${textOf(condition.of, names)}, ${pattern}), false)`
  }
  if ('inCodes' in condition) {
    const keys = Object.keys(codeTable(names, condition.inCodes))
    return isOneOf(compileExpression(condition.of, names), keys)
  }
  if ('all' in condition) return combined(condition.all, 'and', names)
  if ('any' in condition) return combined(condition.any, 'or', names)
  return `(not ${compileCondition(condition.not, names)})`
}

/** Converts a value to the type of a staging column. */
export function convertTo(type: ColumnType, value: Compiled): Compiled {
  if (value === nothing || value.type === type) return value
  if (type === 'varchar') return { sql: asText(value), type, attempted: value.attempted }
  if (type === 'double') return toNumber(value)
  if (type === 'integer') return toInteger(value)
  const sql = `try_cast(${asText(value)} as ${type})`
  return { sql, type, attempted: `${value.sql} is not null` }
}

const nothing: Compiled = { sql: 'null', type: 'varchar', attempted: null }

function text(sql: string): Compiled {
  return { sql, type: 'varchar', attempted: null }
}

/** Returns text without spaces around it, and null in place of blank text. */
function trimmed(sql: string): Compiled {
  return text(`nullif(trim(${sql}), '')`)
}

/** Returns SQL for the value of an expression as text. */
function textOf(expression: Expression, names: Names): string {
  return asText(compileExpression(expression, names))
}

function literal(value: string | number | boolean): Compiled {
  if (typeof value === 'string') return text(quotedLiteral(value))
  if (typeof value === 'boolean') return { sql: String(value), type: 'boolean', attempted: null }
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31
    ? { sql: String(value), type: 'integer', attempted: null }
    : { sql: `${value}::double`, type: 'double', attempted: null }
}

function asText({ sql, type }: Compiled): string {
  if (type === 'varchar') return sql
  // Writes 12.0 as 12, as county files do.
  if (type === 'double') return `regexp_replace((${sql})::varchar, '\\.0$', '')`
  return `(${sql})::varchar`
}

function toNumber(value: Compiled): Compiled {
  if (value.type === 'double') return value
  if (value.type === 'integer') return { ...value, sql: `(${value.sql})::double`, type: 'double' }
  const digits = `replace(replace(${asText(value)}, ',', ''), '$', '')`
  // The pattern is needed because a cast alone would read 000837E2, 1_000 and nan as numbers.
  const sql = `case when regexp_full_match(${digits}, '[-+]?[0-9]*[.]?[0-9]*') then try_cast(${digits} as double) end`
  return { sql, type: 'double', attempted: `${value.sql} is not null` }
}

function toInteger(value: Compiled): Compiled {
  if (value.type === 'integer') return value
  if (value.type === 'double') {
    return { sql: `try_cast(round(${value.sql}) as integer)`, type: 'integer', attempted: value.attempted }
  }
  const whole = toNumber(value).sql
  // Text with a fraction is unreadable as an integer. It is not rounded.
  const sql = `case when ${whole} = trunc(${whole}) then try_cast(${whole} as integer) end`
  return { sql, type: 'integer', attempted: `${value.sql} is not null` }
}

function number(expression: Extract<Expression, { number: Expression }>, names: Names): Compiled {
  const operand = compileExpression(expression.number, names)
  const read = toNumber(operand)
  let { sql } = read
  if (expression.impliedDecimals !== undefined && expression.impliedDecimals > 0) {
    const scale = 10 ** expression.impliedDecimals
    // A written decimal point overrides the implied one.
    sql = `(${sql}) / (case when contains(${asText(operand)}, '.') then 1 else ${scale} end)`
  }
  if (expression.times !== undefined) sql = `(${sql}) * ${expression.times}`
  const value: Compiled = { ...read, sql }
  return expression.zeroIsNull === true ? withoutZero(value, read) : value
}

/** Returns null in place of zero. A zero does not count as unreadable, because `read` is not null for it. */
function withoutZero(value: Compiled, read: Compiled): Compiled {
  const attempted = read.attempted === null ? null : `(${read.attempted} and ${read.sql} is null)`
  return { ...value, sql: `nullif(${value.sql}, 0)`, attempted }
}

function when(expression: Extract<Expression, { then: Expression }>, names: Names): Compiled {
  const condition = compileCondition(expression.when, names)
  const [then = nothing, otherwise = nothing] = sameType([
    compileExpression(expression.then, names),
    expression.otherwise === undefined ? nothing : compileExpression(expression.otherwise, names),
  ])
  const within = (branch: Compiled, test: string): Compiled =>
    branch.attempted === null ? branch : { ...branch, attempted: `(${test} and ${branch.attempted})` }
  return {
    sql: `case when ${condition} then ${then.sql} else ${otherwise.sql} end`,
    type: then.type,
    attempted: anyAttempted([within(then, condition), within(otherwise, `not ${condition}`)]),
  }
}

function date(expression: Extract<Expression, { date: Expression }>, names: Names): Compiled {
  const of = textOf(expression.date, names)
  const formats = expression.formats.map(quotedLiteral).join(', ')
  const sentinels = (expression.sentinels ?? []).map(quotedLiteral).join(', ')
  const parsed =
    expression.pivot === undefined
      ? `try_strptime(${of}, [${formats}])::date`
      : pivoted(of, expression.formats, expression.pivot)
  const isSentinel = `${of} in (${sentinels})`
  return {
    sql: sentinels === '' ? parsed : `case when not ${isSentinel} then ${parsed} end`,
    type: 'date',
    attempted: sentinels === '' ? `${of} is not null` : `(${of} is not null and not ${isSentinel})`,
  }
}

/** Reads a date in the first format that fits. `pivot` is the last two-digit year that belongs to this century. */
function pivoted(of: string, formats: readonly string[], pivot: number): string {
  const readings = formats.map((format) => {
    const parsed = `try_strptime(${of}, ${quotedLiteral(format)})`
    if (!format.includes('%y')) return parsed
    const century = `case when year(${parsed}) % 100 <= ${pivot} then 2000 else 1900 end`
    return `(${parsed} + to_years((${century} + year(${parsed}) % 100 - year(${parsed}))::integer))`
  })
  return `coalesce(${readings.join(', ')}, null)::date`
}

function monthDate(parts: { year: Expression; month: Expression }, names: Names): Compiled {
  const year = textOf(parts.year, names)
  const month = textOf(parts.month, names)
  const sql = `try_cast(${year} || '-' || lpad(${month}, 2, '0') || '-01' as date)`
  return { sql, type: 'date', attempted: `(${year} is not null and ${month} is not null)` }
}

function birthDate(expression: Extract<Expression, { birthDate: Expression }>, names: Names): Compiled {
  const of = textOf(expression.birthDate, names)
  const whole = expression.formats.filter(
    (format) => /%Y/.test(format) && /%m/.test(format) && /%d/.test(format),
  )
  // Tries whole dates first, because `strptime` is much faster than the patterns for dates with unknown parts.
  const readings = [
    ...(whole.length === 0
      ? []
      : [`strftime(try_strptime(${of}, [${whole.map(quotedLiteral).join(', ')}]), '%Y-%m-%d')`]),
    ...expression.formats.map((format) => partialBirthDate(of, format, names)),
  ]
  const sql = readings.length === 1 ? readings.join('') : `coalesce(${readings.join(', ')})`
  // Files write zeros for an unknown date, so text of zeros does not count as unreadable.
  const hasDate = `regexp_matches(${of}, '[1-9A-Za-z]')`
  return { sql, type: 'varchar', attempted: `coalesce(${hasDate}, false)` }
}

/** Reads a birth date with unknown parts, in one format. Unknown parts become `00`. */
function partialBirthDate(of: string, format: string, names: Names): string {
  const isRunTogether = !/[^%YmdA-Za-z0-9]/.test(format)
  const shapes: Record<string, string> = {
    '%Y': '([0-9]{4})',
    '%m': isRunTogether ? '(0[0-9]|1[0-2])' : '(0?[0-9]|1[0-2])',
    '%d': isRunTogether ? '([0-2][0-9]|3[01])' : '([0-2]?[0-9]|3[01])',
  }
  const order: string[] = []
  const pattern = format.replaceAll(/%.|[^%]/g, (part) => {
    if (!part.startsWith('%')) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    const shape = shapes[part]
    if (shape === undefined) {
      throw new AppError(
        'bad_definition',
        `${names.place}: a birth date format may have only %Y, %m and %d, not ${part}`,
      )
    }
    order.push(part)
    return shape
  })
  const part = (name: string, length: number): string => {
    const group = order.indexOf(name) + 1
    return group === 0
      ? quotedLiteral('0'.repeat(length))
      : `lpad(regexp_extract(${of}, ${quotedLiteral(pattern)}, ${group}), ${length}, '0')`
  }
  const written = `${part('%Y', 4)} || '-' || ${part('%m', 2)} || '-' || ${part('%d', 2)}`
  const isPartial = order.length < 3 ? '' : ` and regexp_matches(${written}, '^0000|-00')`
  return (
    `case when regexp_full_match(${of}, ${quotedLiteral(pattern)})${isPartial} ` +
    `then nullif(${written}, '0000-00-00') end`
  )
}

function codes(expression: Extract<Expression, { codes: string }>, names: Names): Compiled {
  const table = codeTable(names, expression.codes)
  const of = textOf(expression.of, names)
  const values = Object.values(table)
  const type: ColumnType = values.every((value) => typeof value === 'boolean')
    ? 'boolean'
    : values.every((value) => typeof value === 'number')
      ? 'double'
      : 'varchar'
  const list = values.map((value) => (type === 'varchar' ? quotedLiteral(String(value)) : String(value)))
  const keys = Object.keys(table).map(quotedLiteral).join(', ')
  // Looks the code up by a cast to an enum, which takes the same time for any table. A `case` would be linear in
  // its length.
  const found: Compiled = {
    sql:
      keys === ''
        ? 'null'
        : `([${list.join(', ')}]::${type}[])[enum_code(try_cast(${of} as enum(${keys}))) + 1]`,
    type,
    attempted: null,
  }
  return expression.otherwise === undefined
    ? found
    : firstOf([found, compileExpression(expression.otherwise, names)])
}

function codeTable(names: Names, name: string): Record<string, string | number | boolean> {
  const table = names.codes[name]
  if (table === undefined) throw unknownName(names, 'code table', name)
  return table
}

function firstOf(values: Compiled[]): Compiled {
  const same = sameType(values)
  const [first] = same
  if (first === undefined) return nothing
  return {
    sql: `coalesce(${same.map((value) => value.sql).join(', ')})`,
    type: first.type,
    attempted: anyAttempted(same),
  }
}

/**
 * Converts branches of one value to one type: their own when they agree, `double` when all are numbers, otherwise
 * text.
 */
function sameType(values: Compiled[]): Compiled[] {
  const types = new Set(values.filter((value) => value !== nothing).map((value) => value.type))
  if (types.size <= 1) {
    const [type = 'varchar'] = types
    return values.map((value) => (value === nothing ? { ...nothing, type } : value))
  }
  const isNumeric = [...types].every((type) => type === 'integer' || type === 'double')
  return values.map((value) => convertTo(isNumeric ? 'double' : 'varchar', value))
}

function anyAttempted(values: Compiled[]): string | null {
  const attempted = values.flatMap((value) => (value.attempted === null ? [] : [value.attempted]))
  return attempted.length === 0 ? null : `(${attempted.join(' or ')})`
}

function isOneOf(value: Compiled, allowed: string[]): string {
  if (allowed.length === 0) return 'false'
  if (value.type === 'integer' || value.type === 'double') {
    const numbers = allowed.map(Number).filter((each) => !Number.isNaN(each))
    return numbers.length === 0 ? 'false' : `coalesce(${value.sql} in (${numbers.join(', ')}), false)`
  }
  return `coalesce(${asText(value)} in (${allowed.map(quotedLiteral).join(', ')}), false)`
}

function combined(conditions: Condition[], operator: 'and' | 'or', names: Names): string {
  return `(${conditions.map((condition) => compileCondition(condition, names)).join(` ${operator} `)})`
}

function hasGroup(pattern: string): boolean {
  return /(^|[^\\])\((?!\?[:i])/.test(pattern)
}

function unknownName(names: Names, what: string, name: string): AppError {
  return new AppError('bad_definition', `${names.place}: there is no ${what} ${name}`)
}
