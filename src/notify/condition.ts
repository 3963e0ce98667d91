/** A problem that the operator must know. It has no personal data: only names of sources, files and steps, and figures. */
export interface Condition {
  /** Identifies the condition. It stays the same while the condition lasts. */
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

/** The body of the JSON POST, and the standard input of the command. Slack shows the field `text`. */
export interface Message {
  readonly text: string
  readonly kind: 'conditions' | 'good_run' | 'test'
  readonly host: string
  readonly at: string
  readonly began: readonly Condition[]
  readonly resolved: readonly { readonly key: string; readonly summary: string }[]
}

/** A message lists this many conditions and counts the rest. */
const MOST_SHOWN = 20

/** Returns the text of a message, with one line per condition and the command to run. */
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

/** Returns the first line of a reason without quoted values. Such values may come from a file and may be personal data. */
export function withoutValues(reason: string): string {
  const line = (reason.split('\n')[0] ?? '').replace(/'[^']*'/g, "'…'").replace(/"[^"]*"/g, '"…"')
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line
}
