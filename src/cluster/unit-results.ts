import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { StageCall, UnitResult } from './engine.ts'

const Line = z.object({ unit: z.int().min(0), counts: z.record(z.string(), z.int().min(0)) })

/** Error messages name so many units at most. */
const MOST_NAMED = 5
/** Error messages show so many characters of a line at most. */
const MOST_SHOWN = 200

/**
 * Reads the lines that a stage printed, and returns the counts of each unit in the order of the units. A line is null when
 * the engine lost it.
 * @throws `stage_failed` with the name of the stage and of the unit, when a unit came back twice, not at all or without
 * counts
 */
export function parseUnitResults(stage: StageCall, lines: readonly (string | null)[]): readonly UnitResult[] {
  const results = new Map<number, UnitResult>()
  let empty = 0
  for (const line of lines) {
    if (line === null || line.trim() === '') {
      empty += 1
      continue
    }
    const result = parseLine(stage, line)
    if (result.unit >= stage.units)
      throw failure(stage, `unit ${result.unit} came back, but the units are 0 to ${stage.units - 1}`)
    if (results.has(result.unit)) throw failure(stage, `unit ${result.unit} came back twice`)
    results.set(result.unit, result)
  }
  const missing = Array.from({ length: stage.units }, (_, unit) => unit).filter((unit) => !results.has(unit))
  if (missing.length > 0) {
    const why = empty > 0 ? `; ${empty} lines came back empty` : ''
    throw failure(stage, `${namesOf(missing)} did not come back with counts${why}`)
  }
  if (empty > 0) throw failure(stage, `${empty} lines came back empty besides the lines of all units`)
  return [...results.values()].sort((left, right) => left.unit - right.unit)
}

function parseLine(stage: StageCall, line: string): UnitResult {
  const value = jsonOf(line)
  const parsed = Line.safeParse(value)
  if (parsed.success) return parsed.data
  const unit = z.object({ unit: z.int() }).safeParse(value).data?.unit
  const shown = line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line
  throw failure(
    stage,
    unit === undefined
      ? `a line is not the result of a unit: ${JSON.stringify(shown)}`
      : `unit ${unit} came back without counts: ${JSON.stringify(shown)}`,
  )
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function failure(stage: StageCall, what: string): AppError {
  const name = stageName(stage)
  return new AppError(
    'stage_failed',
    `stage ${name}: ${what}. Start the run again; it goes on with this stage. ` +
      `If it fails again, run \`platbook stage ${name}\` for this unit by hand`,
  )
}

/** Returns the name of a stage for messages: its first argument. */
export function stageName(stage: StageCall): string {
  return stage.args[0] ?? ''
}

function namesOf(units: readonly number[]): string {
  const named = units.slice(0, MOST_NAMED).join(', ')
  const more = units.length > MOST_NAMED ? ` and ${units.length - MOST_NAMED} more` : ''
  return `${units.length === 1 ? 'unit' : 'units'} ${named}${more}`
}
