/** A piece of work that has ended: which step, what in it, how many rows, how long it took. */
export interface Progress {
  readonly step: string
  readonly detail: string
  readonly rows: number
  readonly seconds: number
}

export type OnProgress = (progress: Progress) => void
