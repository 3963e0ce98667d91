/** Something that an operator must know of. Without personal data: names of sources, files, steps, and figures. */
export interface Condition {
  /** The same for as long as the condition goes on. */
  readonly key: string
  readonly kind:
    | 'held'
    | 'failed_file'
    | 'late'
    | 'failed_step'
    | 'failed_job'
    | 'old_snapshot'
    | 'given_up'
    | 'disk'
    | 'refused_model'
  /** One sentence with the figures. */
  readonly summary: string
  /** The command to run next. */
  readonly command: string
  readonly source_id?: string
  readonly file_name?: string
  readonly before?: number | null
  readonly after?: number | null
}

/** The body of the JSON POST, and what a command reads from its standard input. `text` is Slack's field. */
export interface Message {
  readonly text: string
  readonly kind: 'conditions' | 'good_run' | 'test'
  readonly host: string
  readonly at: string
  readonly began: readonly Condition[]
  readonly resolved: readonly { readonly key: string; readonly summary: string }[]
}

/** A message names so many conditions; the rest is a count. */
const MOST_SHOWN = 20

/** The text of a message: a line for each condition, with the command to run. */
export function textOf(
  host: string,
  began: readonly Condition[],
  resolved: readonly { readonly summary: string }[],
): string {
  const counts = [
    ...(began.length > 0 ? [`${began.length} new`] : []),
    ...(resolved.length > 0 ? [`${resolved.length} resolved`] : []),
  ]
  return [
    `Platbook on ${host}: ${counts.join(', ')}`,
    ...listed(began.map(({ summary, command }) => `- ${summary}. Run: ${command}`)),
    ...listed(resolved.map(({ summary }) => `- resolved: ${summary}`)),
  ].join('\n')
}

function listed(lines: readonly string[]): string[] {
  const rest = lines.length - MOST_SHOWN
  return rest <= 0 ? [...lines] : [...lines.slice(0, MOST_SHOWN), `- and ${rest} more: see platbook doctor`]
}

const LONGEST_REASON = 300

/** A reason without quoted values, which may come from a file: they could be names or numbers of people. */
export function withoutValues(reason: string): string {
  const line = (reason.split('\n')[0] ?? '').replace(/'[^']*'/g, "'…'").replace(/"[^"]*"/g, '"…"')
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line
}
