/** The operator's decision about a file that was held or had failed. It counts for the same bytes under any name. */
export interface Decision {
  readonly source_id: string
  /** The SHA-256 of the file as it lies in landing. */
  readonly sha256: string
  readonly member: string | null
  /** `accept_always`: the load is the new measure; the history before it no longer counts. */
  readonly decision: 'accept' | 'accept_always' | 'reject'
}

/** The key under which a decision is found. */
export function decisionKey({ sha256, member }: { sha256: string; member: string | null }): string {
  return `${sha256}\n${member ?? ''}`
}
